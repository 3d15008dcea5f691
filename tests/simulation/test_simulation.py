"""The simulator itself: it is told again by its seed, and it finds what is wrong."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from functools import partial

import pytest

from mcp_tasks.ports.store import NO_RECORDS
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import InputResponse, Outcome, Task
from tests.simulation.__main__ import report
from tests.simulation.store import RecordingStore
from tests.simulation.story import Violation, kinds, tell

SEEDS = range(8)
ENOUGH = 40
"""Stories, within which each of the bugs below is found."""


class Unconditional(RecordingStore):
    """Writes whatever the stored version is."""

    def write(
        self,
        owner_key: str,
        before: Task,
        after: Task,
        outcome: Outcome | None = None,
        responses: Mapping[str, InputResponse] = NO_RECORDS.responses,
    ) -> None:
        super().write(owner_key, self.read(owner_key, before.id), after, outcome, responses)


class Unreleasing(RecordingStore):
    """Counts for ever what was deleted while it lived."""

    def release(self, owner_key: str, task_id: str) -> None:
        pass


class Indiscreet(RecordingStore):
    """Shows a task to whoever knows its id."""

    def read(self, owner_key: str, task_id: str) -> Task:
        for owner, task in self.tasks():
            if task.id == task_id and self.lives(task):
                return super().read(owner, task_id)
        raise TaskNotFound(task_id)


class Forgetful(RecordingStore):
    """Knows no idempotency key again."""

    def _earlier(self, owner_key: str, key: object) -> Task | None:
        return None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_invariants_hold(seed: int) -> None:
    tell(seed)


def test_a_seed_tells_the_same_story_in_any_process() -> None:
    lines = tell(2).lines
    assert tell(2).lines == lines

    command, env = [sys.executable, "-m", "tests.simulation", "--seed", "2"], {**os.environ, "PYTHONHASHSEED": "1"}
    elsewhere = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert elsewhere.stdout.splitlines() == lines


@pytest.mark.parametrize(
    ("store", "found"),
    [
        (Unconditional, "version"),
        (Unreleasing, "has no tasks and is counted"),
        (Indiscreet, "tells|sees"),
        (Forgetful, "is two tasks"),
    ],
)
def test_a_planted_bug_is_found(store: type[RecordingStore], found: str) -> None:
    violation = next(each for each in map(partial(violated, store), range(ENOUGH)) if each is not None)

    assert re.search(found, str(violation.violations))
    assert f"python -m tests.simulation --seed {violation.seed}" in str(violation)
    assert f"VIOLATED: {violation.violations[0]}" in str(violation)


def violated(store: type[RecordingStore], seed: int) -> Violation | None:
    """Return how a story is violated, if it is."""
    try:
        tell(seed, store)
    except Violation as violation:
        return violation
    return None


def test_what_never_happened_is_a_failure() -> None:
    everything = Counter(dict.fromkeys(kinds(), 1))

    assert report(everything) == []
    assert report(everything - Counter({"fault: dies after": 1})) == ["fault: dies after"]
