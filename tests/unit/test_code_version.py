"""The version of a tool's code: a digest of its module's source, or what its author says."""

import hashlib
import sys
from pathlib import Path

import pytest

from mcp_tasks import Tool, tool
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.features import catalogue
from mcp_tasks.features.listing import Features
from tests.elsewhere import elsewhere
from tests.kit import ADA, memory_ports

SOURCE = '''
from mcp_tasks import tool

WORD = "{word}"

@tool()
def say() -> str:
    """Say it."""
    return WORD

TOOLS = [say]
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module that has yet to be written, to `word_tools.py`."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "word_tools", raising=False)
    return "word_tools"


def imported(module: str, folder: Path, word: str) -> Tool:
    (folder / f"{module}.py").write_text(SOURCE.format(word=word))
    sys.modules.pop(module, None)
    sys.path_importer_cache.pop(str(folder), None)
    return next(iter(Features.of_module(module).tools))


def test_a_tool_has_the_digest_of_the_source_of_its_module(module: str, tmp_path: Path) -> None:
    said = imported(module, tmp_path, "hello")

    source = (tmp_path / f"{module}.py").read_bytes()
    assert said.version == hashlib.sha256(source).hexdigest()[:12]


def test_whatever_changes_in_the_module_changes_the_digest(module: str, tmp_path: Path) -> None:
    before, after = imported(module, tmp_path, "hello"), imported(module, tmp_path, "goodbye")

    assert before.version != after.version


def test_the_catalogue_has_the_version_that_the_function_which_runs_the_tool_has(module: str, tmp_path: Path) -> None:
    said = imported(module, tmp_path, "hello")

    (listed,) = catalogue.read(catalogue.write(module), elsewhere(Features.of_module(module))).tools
    assert listed.version == said.version


def test_an_author_may_say_the_version() -> None:
    @tool(version="2")
    def say() -> str:
        """Say it."""
        return "it"

    assert say.version == "2"


def test_a_tool_whose_source_is_in_no_file_has_no_version() -> None:
    names = {"__name__": "in_no_file"}
    exec(SOURCE.format(word="hello"), names)

    found: object = names["say"]
    assert isinstance(found, Tool)
    assert found.version is None


def test_a_task_keeps_the_version_that_it_was_created_under() -> None:
    @tool(version="2")
    def say() -> str:
        """Say it."""
        return "it"

    tasks = TaskService(ports=memory_ports())

    assert tasks.get(ADA, tasks.start(ADA, say, {}).id).tool_version == "2"


@pytest.mark.parametrize(("version", "words"), [("", "version is empty"), (2, "version is a text"), ("x" * 65, "64")])
def test_a_version_that_cannot_be_kept_is_refused_at_import(version: object, words: str) -> None:
    def say() -> str:
        """Say it."""
        return "it"

    with pytest.raises((TypeError, ValueError), match=words):
        tool(version=version)(say)  # type: ignore[arg-type]
