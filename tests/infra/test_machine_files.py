"""State machines are found in a folder: a file is all that it takes."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from aws_cdk import App, Stack

from infra.default_machine import NAME
from infra.machine_files import find_machines
from infra.machine_names import machine_arns
from mcp_tasks.tasks.model import DEFAULT_MACHINE
from tests.infra.test_state_checks import functions_of

PACKAGE = "some_machines"
WORK = "def work(scope, functions):\n    return functions.run(scope)\n"

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """A function that writes files, by their names, into a package of machines, whose name it returns."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [each for each in sys.modules if each.partition(".")[0] == PACKAGE]:
        monkeypatch.delitem(sys.modules, name)

    def write(**files: str) -> str:
        (tmp_path / PACKAGE).mkdir()
        for name, text in files.items():
            (tmp_path / PACKAGE / f"{name}.py").write_text(text)
        return PACKAGE

    return write


def test_the_default_machine_is_the_one_that_tools_have_by_default() -> None:
    assert NAME == DEFAULT_MACHINE


def test_no_file_has_the_name_that_means_no_machine(write: Write) -> None:
    with pytest.raises(SystemExit, match=f"{PACKAGE}/direct.py: direct means that a tool has no state machine"):
        find_machines(write(direct=WORK, __init__=""))


def test_every_file_is_a_machine_but_those_that_begin_with_an_underscore(write: Write) -> None:
    package = write(b=WORK, a=f"from {PACKAGE}._helper import work\n", _helper=WORK, __init__="")

    assert list(find_machines(package)) == ["run_tool", "a", "b"]


@pytest.mark.parametrize("package", ["no_machines", "infra.no_machines"])
def test_a_folder_that_is_not_there_has_no_machines(package: str) -> None:
    assert list(find_machines(package)) == ["run_tool"]


def test_a_file_that_imports_what_is_not_there_is_not_taken_for_one_that_is_missing(write: Write) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        find_machines(write(__init__="import no_such_module\n"))


def test_a_machine_has_the_time_of_its_file_and_eight_days_without(write: Write) -> None:
    timed = f"from aws_cdk import Duration\nTIMEOUT = Duration.hours(1)\n{WORK}"
    machines = find_machines(write(timed=timed, free=WORK))

    assert machines["timed"].timeout.to_hours() == 1
    assert machines["free"].timeout.to_days() == 8


@pytest.mark.parametrize(
    ("text", "defines"),
    [("", "no state machine"), (f"{WORK}\nARN = 'arn'\nexisting = work\n", "work and ARN and existing")],
)
def test_a_file_defines_one_machine(write: Write, text: str, defines: str) -> None:
    with pytest.raises(
        SystemExit, match=f"^some_machines/one.py defines {defines}: write work\\(scope, functions\\), which"
    ):
        find_machines(write(one=text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "def work(scope):\n    ...\n",
            "work cannot be called: too many positional arguments: write def work(scope: C",
        ),
        ("work = 3\n", "work cannot be called: 3 is not a callable object: write def work(scope: Construct, functions"),
        (
            "def work(scope, functions):\n    ...\n",
            "work returns None, which is no IChainable: write def work(scope: C",
        ),
        ("def existing():\n    ...\n", "existing cannot be called: too many positional arguments: write def existing("),
        ("def existing(scope):\n    return 'arn'\n", "existing returns 'arn', which is no IStateMachine: write def ex"),
        ("ARN = 'load'\n", "'load' is no ARN of a state machine: arn:aws:states:REGION:ACCOUNT:stateMachine:NAME"),
    ],
)
def test_what_a_file_should_have_had_is_said_in_a_sentence(write: Write, text: str, said: str) -> None:
    stack = Stack(App(), "S")
    machine = find_machines(write(one=text))["one"]

    with pytest.raises(SystemExit, match=f"^some_machines/one.py: {re.escape(said)}"):
        machine.work(stack, functions_of(stack))


@pytest.mark.parametrize("timeout", ["60", "__import__('datetime').timedelta(days=9)"])
def test_a_timeout_is_a_duration_of_the_cdk(write: Write, timeout: str) -> None:
    with pytest.raises(SystemExit, match=r"^some_machines/one.py: TIMEOUT is .*: write a Duration of aws_cdk, as Dur"):
        find_machines(write(one=f"{WORK}TIMEOUT = {timeout}\n"))


def test_the_name_of_the_default_machine_is_taken(write: Write) -> None:
    with pytest.raises(SystemExit, match=r"^some_machines/run_tool.py: run_tool is the name of the default state"):
        find_machines(write(run_tool=WORK))


def test_a_name_that_step_functions_would_not_take_is_rejected() -> None:
    stack, server = Stack(App(), "S"), "s" * 40

    assert len(machine_arns(stack, server, ["nightly-load"])) == 1
    for name in ("nightly load", "nächtlich"):
        with pytest.raises(SystemExit, match=f"The state machine '{name}' would be .* digits, - and _: rename"):
            machine_arns(stack, server, [name])

    assert len(machine_arns(stack, server, ["m" * 39])) == 1
    with pytest.raises(SystemExit, match="has more than 80 characters: rename its file"):
        machine_arns(stack, server, ["m" * 40])
