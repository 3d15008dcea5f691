"""A `tools/call` that becomes a task goes through few files, and forward; `tests.walk` says what is counted."""

from collections.abc import Mapping

import pytest

from tests import walk
from tests.revisions import REVISIONS
from tests.walk import STEPS, Entered, Walk

FILES, CHANGES = 28, 79


@pytest.fixture(scope="module")
def walks() -> Mapping[str, Walk]:
    return walk.walks()


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_call_goes_through_few_files_to_the_ports(walks: Mapping[str, Walk], revision: str) -> None:
    counted = walks[revision].of_call.to_ports

    assert len(counted.files) <= FILES, counted.files
    assert counted.changes <= CHANGES


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_call_is_decided_then_done_then_rendered(walks: Mapping[str, Walk], revision: str) -> None:
    assert walks[revision].of_call.steps == list(STEPS)


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_is_done_knows_nothing_of_the_wire(walks: Mapping[str, Walk], revision: str) -> None:
    done = {each.file for each in walks[revision].entered if each.step == "perform"}

    assert {"engine/tool_calls.py", "engine/lifecycle.py"} <= done
    assert {file for file in done if file.startswith("wire/")} == set()


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_call_looks_its_tool_up_once(walks: Mapping[str, Walk], revision: str) -> None:
    called = [(each.file, each.function) for each in walks[revision].of_call.entered]

    assert called.count(("features/tools.py", "find")) == 1
    assert ("engine/task_tools.py", "built_in") not in called


def test_changes_are_counted_from_file_to_file() -> None:
    walked = Walk([Entered(file, "f", in_call=True, step=None) for file in "aabcca"])

    assert (walked.files, walked.changes) == (["a", "b", "c"], 3)
