"""A tool that names a state machine which nobody has written is rejected when the tools are imported."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.features.machines import MissingMachine

ROOT = Path(__file__).parents[2]
TOOLS = """
from mcp_tasks import tool

@tool(machine="{}")
def remind_me() -> str:
    "Remind."
    return "now"

TOOLS = [remind_me]
"""
SAYS = (
    "remind_me: there is no state machine 'remind_mee': write {}/remind_mee.py, "
    "or name one that there is: direct, export, remind_me, run_tool."
)

Load = Callable[[str, str], Features]


@pytest.fixture(params=["infra/machines", "layers/tools/machines"])
def machines(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with two machines, and what is none."""
    folder = tmp_path / str(request.param)
    (folder / "export").mkdir(parents=True)
    for name in ("remind_me.py", "_helper.py", "__init__.py", "notes.md"):
        (folder / name).touch()
    return folder


@pytest.fixture(params=["some_tools/__init__.py", "some_tools.py", "above/some_tools.py"])
def load(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """A function that imports a module of tools, in a folder of the clone, with one that names a machine."""
    file = Path(str(request.param))
    module = ".".join(file.with_suffix("").parts).removesuffix(".__init__")

    def load(folder: str, machine: str) -> Features:
        path = tmp_path / folder / file
        path.parent.mkdir(parents=True)
        path.write_text(TOOLS.format(machine))
        monkeypatch.syspath_prepend(str(tmp_path / folder))
        return Features.of_module(module)

    yield load
    for name in (module, module.partition(".")[0]):
        sys.modules.pop(name, None)


def test_a_machine_without_a_file_is_rejected_with_those_that_have_one(load: Load, machines: Path) -> None:
    with pytest.raises(MissingMachine) as rejected:
        load("layers/tools/python", "remind_mee")

    assert str(rejected.value) == SAYS.format("/".join(machines.parts[-2:]))


@pytest.mark.parametrize("machine", ["remind_me", "export", "run_tool"])
def test_a_machine_that_has_a_file_is_not_rejected(load: Load, machines: Path, machine: str) -> None:
    assert [tool.machine for tool in load("layers/tools/python", machine).tools] == [machine]


@pytest.mark.parametrize("name", ["_helper", "__init__", "notes"])
def test_a_file_that_holds_no_machine_is_none(load: Load, machines: Path, name: str) -> None:
    with pytest.raises(MissingMachine, match=f"no state machine '{name}'"):
        load("layers/tools/python", name)


def test_tools_of_tests_may_name_machines_that_only_the_tests_have(load: Load, machines: Path) -> None:
    assert [tool.machine for tool in load("tests", "made_up").tools] == ["made_up"]


def test_nothing_is_rejected_where_there_are_no_machines_to_see(load: Load) -> None:
    assert [tool.machine for tool in load("opt/python", "deployed_elsewhere").tools] == ["deployed_elsewhere"]


def test_a_folder_of_that_name_far_above_is_no_matter(load: Load, machines: Path) -> None:
    assert [tool.machine for tool in load("home/ada/layers/tools/python", "of_another_package").tools]


@pytest.fixture
def python(tmp_path: Path, machines: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function that runs Python in a fresh process, beside tools of which one names a machine without a file."""
    folder = tmp_path / "layers" / "tools" / "python"
    folder.mkdir(parents=True)
    (folder / "some_tools.py").write_text(TOOLS.format("remind_mee"))
    path = {"PYTHONPATH": f"{ROOT / 'layers/core/python'}:{folder}"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=ROOT, env=path, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize(
    "command",
    [("mcp_tasks.features.catalogue", "some_tools"), ("local", "serve", "--port", "0", "--tools", "some_tools")],
)
def test_no_catalogue_is_written_and_nothing_served_but_a_sentence_says_why(
    python: Callable[..., subprocess.CompletedProcess[str]], machines: Path, command: tuple[str, ...]
) -> None:
    done = python("-m", *command)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == SAYS.format("/".join(machines.parts[-2:])) + "\n"


def test_no_machine_is_imported_for_it(python: Callable[..., subprocess.CompletedProcess[str]], machines: Path) -> None:
    (machines / "remind_me.py").write_text("raise RuntimeError('imported')")
    program = """
import sys
from mcp_tasks.features.listing import Features
try:
    Features.of_module("some_tools")
except ValueError:
    print(*sys.modules)
"""
    loaded = python("-c", program).stdout.split()

    assert "some_tools" in loaded
    assert not {"aws_cdk", "jsii", "infra"} & set(loaded)
