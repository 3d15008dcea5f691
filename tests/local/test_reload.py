"""Saved tools are noticed, and imported anew."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from threading import Event

import pytest

from infra.sources import CORE
from local.emulator import ROOT
from local.reload import Sources, explained
from mcp_tasks.features.listing import Features
from tests.timeout import until

SECOND = 1_800_000_000_000_000_000
"""A time in nanoseconds, at the beginning of a second."""

WORD_TOOL = """from mcp_tasks import tool


def word() -> str:
    return {}


TOOLS = [tool(description='A word.')(word)]
"""
ANEW = """
import sys
from local.reload import Sources
from mcp_tasks.features.listing import Features

Features.of_module("beside")
installed = sys.modules["installed"]
print([tool.name for tool in Sources("beside").imported_anew().tools], sys.modules["installed"] is installed)
"""


class Package:
    """The package `reloaded`, whose tool returns a word of another module."""

    def __init__(self, folder: Path) -> None:
        self.words = folder / "reloaded" / "words.py"
        self.words.parent.mkdir()
        self.save("one", SECOND)
        (self.words.parent / "__init__.py").write_text("from reloaded.words import WORD\n" + WORD_TOOL.format("WORD"))

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


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("from mcp_tasks import tool\n\n\n@tool\ndef f() -> None: ...\n", "write @tool() above f"),
        ("def f() -> str\n", 'words.py", line 1\n    def f() -> str\n'),
        (
            "import not_there\n",
            "No module named 'not_there'\nA package from PyPI goes into layers/tools/requirements.in",
        ),
    ],
)
def test_why_an_import_fails_is_told_with_the_lines_of_the_tools_alone(package: Package, code: str, said: str) -> None:
    package.words.write_text(code)
    with pytest.raises((TypeError, SyntaxError, ModuleNotFoundError)) as failed:
        Features.of_module("reloaded")

    told = explained(failed.value, package.words.parent)

    assert said in told
    assert {Path(file).parent.name for file in re.findall(r'File "(.*?)"', told)} == {"reloaded"}


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ("nowhere", "No module named 'nowhere': TOOLS is a package in layers/tools/python"),
        ("reloaded", "The tools cannot be imported.\nTraceback"),
    ],
)
def test_tools_that_cannot_be_served_are_told_before_anything_is(package: Package, tools: str, said: str) -> None:
    package.words.write_text("import not_there\n")
    command = [sys.executable, "-m", "local", "serve", "--port", "0", "--tools", tools]
    paths = [*os.environ.get("PYTHONPATH", "").split(os.pathsep), str(package.words.parents[1])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    served = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    assert served.returncode == 1
    assert served.stderr.startswith(said)


def test_neither_the_server_nor_what_is_installed_is_imported_again_with_a_module_beside_it(tmp_path: Path) -> None:
    for package in (ROOT / "local", CORE):
        shutil.copytree(package, tmp_path / package.name)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "installed.py").write_text("")
    (tmp_path / "beside.py").write_text("import installed\n" + WORD_TOOL.format("'one'"))
    path = os.pathsep.join(map(str, [tmp_path, tmp_path / ".venv"]))
    done = subprocess.run(
        [sys.executable, "-c", ANEW], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )

    assert (done.stderr, done.stdout) == ("", "['word'] True\n")


def test_a_module_that_does_not_exist_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'nowhere'"):
        Sources("nowhere.tools")
