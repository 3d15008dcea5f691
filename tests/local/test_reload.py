"""Saved tools are noticed, and imported anew."""

import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from threading import Event

import pytest

from local.reload import Sources
from mcp_tasks.features.listing import Features
from tests.timeout import until

SECOND = 1_800_000_000_000_000_000
"""A time in nanoseconds, at the beginning of a second."""


class Package:
    """The package `reloaded`, whose tool returns a word of another module."""

    def __init__(self, folder: Path) -> None:
        self.words = folder / "reloaded" / "words.py"
        self.words.parent.mkdir()
        self.save("one", SECOND)
        tools = "from mcp_tasks import tool\nfrom reloaded.words import WORD\n"
        tools += "def word() -> str:\n    return WORD\n\n\nTOOLS = [tool(description='A word.')(word)]\n"
        (self.words.parent / "__init__.py").write_text(tools)

    def save(self, word: str, time: int) -> None:
        """Save a word as editors do: a new file takes the place of the old one."""
        draft = self.words.with_name("draft")
        draft.write_text(f"WORD = {word!r}\n")
        os.utime(draft, ns=(time, time))
        draft.rename(self.words)


def word(features: Features) -> str:
    (tool,) = features.tools
    return str(tool())


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    yield Package(tmp_path)

    for name in ("reloaded", "reloaded.words"):
        sys.modules.pop(name, None)


def test_a_file_that_is_saved_twice_in_a_second_is_imported_as_saved_last(package: Package) -> None:
    sources, seen = Sources("reloaded"), list[Path]()
    assert word(Features.of_module("reloaded")) == "one"
    with sources.watching(seen.extend):
        package.save("two", SECOND + 1)

        until(lambda: seen == [package.words])
    assert word(sources.imported_anew()) == "two"


def test_no_import_that_never_ends_is_waited_for(package: Package) -> None:
    begun, enough, was_enough = Event(), Event(), list[bool]()

    def take_up(saved: Sequence[Path]) -> None:
        begun.set()
        was_enough.append(enough.wait(20))

    with Sources("reloaded").watching(take_up):
        package.save("two", SECOND + 1)
        until(begun.is_set)
    enough.set()

    assert until(lambda: was_enough) == [True]


def test_what_was_imported_stays_where_it_cannot_be_imported_again(package: Package) -> None:
    before = Features.of_module("reloaded")
    package.words.write_text("raise SystemExit('no')")

    with pytest.raises(SystemExit, match="no"):
        Sources("reloaded").imported_anew()

    assert list(before.tools) == import_module("reloaded").TOOLS
    assert import_module("reloaded.words").WORD == "one"


def test_a_module_outside_of_the_package_is_not_imported_again(package: Package) -> None:
    Features.of_module("reloaded")
    theirs = sys.modules["mcp_tasks"]

    Sources("reloaded").imported_anew()

    assert sys.modules["mcp_tasks"] is theirs


def test_a_module_that_does_not_exist_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'nowhere'"):
        Sources("nowhere.tools")
