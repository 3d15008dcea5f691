"""Registers the marker `requirement`, by which protocol tests cite rows of the requirements."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "requirement(*rows): the rows of requirements.py that the test is about")
