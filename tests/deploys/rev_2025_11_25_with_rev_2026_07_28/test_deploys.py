"""A deploy loses nothing: clients of both revisions go on while two releases are deployed in turn, side by side."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from local.emulator import EXAMPLES, ROOT, running_emulator
from local.issuer import Issuer
from local.stack import Stack
from mcp_tasks.testing.client import RESPONDS, Transport
from mcp_tasks.testing.rev_2025_11_25 import Client as Client2025
from mcp_tasks.testing.rev_2026_07_28 import ABLE
from mcp_tasks.testing.rev_2026_07_28 import Client as Client2026
from tests.deploys import releases
from tests.deploys.beside import beside, held
from tests.deploys.evidence import LATEST, evidence, left
from tests.deploys.load import Load, User, pause
from tests.deploys.releases import STACK, Release
from tests.deploys.rev_2025_11_25_with_rev_2026_07_28.uses_of_one import OF_2025, OF_2026
from tests.deploys.uses import LIKES, RUNNING, USES, colour
from tests.protocol.rev_2025_11_25 import checked as checked_2025
from tests.protocol.rev_2026_07_28 import checked as checked_2026
from tests.stack.internals import complaints, invocations_when_idle
from tests.timeout import until

DEPLOYS: Final = 20
ANSWERS: Final = 10
"""How many answers clients get after each deploy from both releases side by side, and then from the new one alone."""

PATIENCE: Final = 120
"""Seconds for that, on a machine that does something else as well."""

UNPACK: Final = {"before": releases.before, "older": releases.older, "newer": releases.newer}
NAMED: Final = {"before": "999.0.1", "older": "999.1.0", "newer": "999.2.0"}
FUNCTIONS: Final = (
    "serve_mcp",
    "await_task",
    "run_inline",
    "run_tool",
    "host_run",
    "on_task_change",
    "suspend_task",
    "record_outcome",
)
"""Those that both releases have to have invoked."""

INTERRUPTED: Final = '"errorType": "RunInterrupted"'
"""How runs of 0.3 end that are under way when this release takes their function's permissions; they are repeated."""


def client_of_2025(transport: Transport) -> Client2025:
    """Return a client of 2025-11-25 whose user answers."""
    return Client2025(checked_2025.Checked(transport), RESPONDS, responder=colour, sleep=pause)


def client_of_2026(transport: Transport) -> Client2026:
    """Return a client of 2026-07-28 whose user answers."""
    return Client2026(checked_2026.Checked(transport), ABLE, responder=colour, sleep=pause)


CLIENTS: Final = {"2025": client_of_2025, "2026": client_of_2026}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A stack that runs the release before, and the releases to deploy there."""

    stack: Stack
    before: Release
    older: Release
    newer: Release


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with Issuer() as issuer, running_emulator() as emulator:
        context = {
            "local": True,
            "issuer": issuer.issuer,
            "audience": issuer.audience,
            "jwks_url": issuer.jwks_url,
            "public_url": f"{emulator.url}/_aws/execute-api/{{api}}/local",
            "max_running_tasks": RUNNING,
        }
        made = {
            name: releases.made(unpack(tmp_path / name), emulator, context, NAMED[name])
            for name, unpack in UNPACK.items()
        }
        outputs = made["before"].deploy(emulator)
        stack = Stack(emulator=emulator, issuer=issuer, app=EXAMPLES, outputs=outputs, settings=context)
        yield Stage(stack=stack, **made)


@pytest.mark.slow
def test_twenty_deploys_lose_nothing_and_fail_nothing_while_old_and_new_code_answer(stage: Stage) -> None:
    stack, load = stage.stack, Load(stack=stage.stack)
    users = [User(name=f"held-{name}", load=load, client=client) for name, client in CLIENTS.items()]
    with ExitStack() as loaded:
        loaded.enter_context(load.running("2025", {**USES, **OF_2025}, client_of_2025))
        loaded.enter_context(load.running("2026", {**USES, **OF_2026}, client_of_2026))
        held_back = [user.started(user.connected(), "ask", name="Ada") for user in users]
        answered(load, stage.before)
        until(lambda: all(task.status == "input_required" for task in held_back), within=PATIENCE)
        deploy(stack, stage.newer)
        answered(load, stage.newer)
        for release in islice(cycle((stage.older, stage.newer)), DEPLOYS):
            earlier = held(stack)
            deploy(stack, release)
            with beside(stack, earlier):
                answered(load, stage.older, stage.newer)
            answered(load, release)
        roll_back(stack)
        answered(load, stage.older)
        for task in held_back:
            assert task.wait().text == f"Ada {LIKES}"
    check_that_nothing_failed(load)
    assert load.done.keys() == USES.keys() | OF_2025.keys() | OF_2026.keys()
    invocations_when_idle(stack)
    assert left(stack, load.tasks) == {}
    wrong = [line for line in complaints(stack) if not (LATEST in line and INTERRUPTED in line)]
    assert not wrong, "\n".join(wrong)
    check_that_both_worked(stage, load)


def deploy(stack: Stack, release: Release) -> None:
    """Deploy a release, which keeps every output that the first one had, and may add some."""
    outputs = release.deploy(stack.emulator)
    assert {name: outputs.get(name) for name in stack.outputs} == stack.outputs


def roll_back(stack: Stack) -> None:
    """Run `make rollback`."""
    port = str(urlsplit(stack.url).port)
    command = [sys.executable, "-m", "local.rollback", "--stack", STACK, "--port", port]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


def answered(load: Load, *releases: Release) -> None:
    """Wait until clients have `ANSWERS` more from each release, or have found something that is not right."""
    before = load.answers.copy()

    def enough() -> bool:
        return bool(load.failures) or all(
            load.answers[each.version] >= before[each.version] + ANSWERS for each in releases
        )

    until(enough, within=PATIENCE)
    check_that_nothing_failed(load)


def check_that_nothing_failed(load: Load) -> None:
    """Fail with what clients found that is not right, and what the functions say of it."""
    assert not load.failures, "\n".join([*load.failures, *complaints(load.stack)])


def check_that_both_worked(stage: Stage, load: Load) -> None:
    """Fail unless each release answered and ran tools by its own code, and tasks went from one to the other."""
    found = evidence(stage.stack)
    assert found.strangers == []
    for release in (stage.older, stage.newer):
        assert {name for name in FUNCTIONS if not found.invocations[name, release.digest]} == set()
    by_newer = sum(found.invocations[name, stage.newer.digest] for name in ("serve_mcp", "await_task"))
    assert found.answers[stage.newer.digest] == by_newer
    names = {each.version: each for each in (stage.before, stage.older, stage.newer)}
    runs = {(code, release) for of_task in found.runs.values() for _, code, release in of_task}
    assert runs == {(each.version, each.digest) for each in names.values()}
    ways = Counter((codes[0], codes[-1]) for codes in found.codes())
    for way in ((stage.older.version, stage.newer.version), (stage.newer.version, stage.older.version)):
        assert ways[way], f"no task was begun by {way[0]} and finished by {way[1]}"
    assert any(began == stage.before.version != ended for began, ended in ways)
    answers = ", ".join(f"{load.answers[each]} of {each}" for each in names)
    moved = sum(count for (began, ended), count in ways.items() if began != ended)
    print(f"{len(load.tasks)} tasks and {sum(load.done.values())} uses; {answers}; {moved} tasks went over")  # noqa: T201
