"""What all protocol tests have: a mark that says which rows a test is about."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "requirement(*rows): the rows of requirements.py that the test is about")
