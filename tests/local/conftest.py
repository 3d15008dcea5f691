"""The fixture of the tests that install packages."""

from tests.shelf import shelf as shelf
