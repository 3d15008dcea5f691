"""A task as a DynamoDB item and back."""

import json
import string
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_tasks.adapters.dynamodb.items import (
    alive,
    can_exist,
    expires_at,
    expiry_attributes,
    item_of,
    owner_and_id,
    primary_key,
    task_of,
)
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.model import Holding, InputRequest, OutcomeKind, Progress, State, Task
from mcp_tasks.tasks.pace import pace
from tests.kit import ADA, NOON, a_task

numbers = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False)
moments = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
spans = st.timedeltas(timedelta(), timedelta(days=400))
# First halves of surrogate pairs only: two halves that meet are one character in JSON.
any_text = st.characters() | st.sampled_from("\ud800\udbff")
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(any_text),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(any_text), inner, max_size=3),
    max_leaves=5,
)
any_tasks = st.builds(
    Task,
    id=st.text("0123456789abcdefghijklmnopqrstuv", min_size=36, max_size=36),
    tool=st.text(min_size=1),
    created_at=moments,
    updated_at=moments,
    ttl=spans,
    timeout=spans,
    poll_interval=spans,
    machine=st.text(min_size=1),
    state=st.sampled_from(State),
    version=st.integers(1, 10**9),
    status_message=st.none() | st.text(any_text),
    progress=st.none()
    | st.builds(Progress, progress=numbers, total=st.none() | numbers, message=st.none() | st.text()),
    progress_token=st.none() | st.integers() | st.text(any_text),
    session=st.none() | st.text(any_text),
    scopes=st.frozensets(st.text()),
    client_capabilities=st.frozensets(st.text()),
    requested=st.lists(st.text(any_text), max_size=3).map(tuple),
    requested_at=st.none() | moments,
    input_requests=st.lists(
        st.builds(
            InputRequest,
            key=st.text(any_text),
            method=st.text(),
            params=st.dictionaries(st.text(any_text), json_values),
            timeout=st.none() | spans,
        ),
        max_size=2,
    ).map(tuple),
    task_token=st.none() | st.text(string.printable, min_size=1),
    earlier_tokens=st.lists(st.text(string.printable), max_size=4).map(tuple),
    resumed_at=st.none() | moments,
    wakes_at=st.none() | moments,
    expected=st.none() | st.just(timedelta(seconds=7.5)),
    expected_at=st.none() | moments,
    not_before=st.none() | moments,
    outcome_kind=st.sampled_from(OutcomeKind),
)
QUEUED = Holding(active=True, queue=3)
tasks = any_tasks.map(lambda task: task if task.state is State.FINISHED else replace(task, outcome_kind=None)).map(
    lambda task: task if task.state is not State.QUEUED else replace(task, holding=QUEUED, input_requests=())
)
attributes = (
    st.builds(lambda value: {"S": value}, st.text(string.printable))
    | st.builds(lambda value: {"S": json.dumps(value)}, json_values)
    | st.builds(lambda value: {"N": str(value)}, st.integers(-(10**37), 10**37) | st.floats(-1e37, 1e37))
)
DOCUMENTS = {
    "details": ("note", "progress", "questions", "asked", "askedAt", "resumedAt", "wakesAt", "earlierTokens"),
    "request": ("progressToken", "session", "scopes", "abilities"),
}
documents = st.fixed_dictionaries(
    {},
    optional={
        name: st.dictionaries(st.sampled_from(fields), json_values).map(lambda value: {"S": json.dumps(value)})
        for name, fields in DOCUMENTS.items()
    },
)


@given(task=tasks)
def test_a_task_comes_back_from_its_item_unchanged(task: Task) -> None:
    item = item_of(ADA.owner_key, task)

    assert task_of(item) == task
    assert task_of(item | alive(task)) == task
    assert owner_and_id(item) == (ADA.owner_key, task.id)


@example(task=a_task(), damage={"goneAt": {"N": "67768036191676796"}})
@example(task=a_task(), damage={"goneAt": {"N": "1e400"}})
@given(
    task=tasks,
    damage=documents
    | st.dictionaries(st.sampled_from([*item_of(ADA.owner_key, a_task())][2:]), attributes, max_size=2),
)
def test_any_item_is_read_as_a_valid_task_or_rejected(task: Task, damage: dict[str, Any]) -> None:
    with suppress(UnreadableItem):
        found = task_of(item_of(ADA.owner_key, task) | damage)
        assert found.expires_at >= found.created_at
        assert found.due_at <= found.expires_at
        pace(found, NOON)
        assert task_of(item_of(ADA.owner_key, found)) == found


@given(task=tasks)
def test_an_item_holds_nothing_that_dynamodb_cannot(task: Task) -> None:
    for attribute in (item_of(ADA.owner_key, task) | alive(task)).values():
        ((kind, value),) = attribute.items()
        assert kind in {"S", "N"}
        assert isinstance(value, str)


@given(task=tasks)
def test_an_item_goes_when_its_task_expires_and_not_earlier(task: Task) -> None:
    item = item_of(ADA.owner_key, task)

    assert expires_at(item) == task.expires_at
    assert (
        timedelta() <= datetime.fromtimestamp(int(item["expiresAt"]["N"]), UTC) - task.expires_at < timedelta(seconds=1)
    )


def test_the_time_to_live_is_in_whole_seconds() -> None:
    assert expiry_attributes(NOON)["expiresAt"] == {"N": "1767268800"}
    assert expiry_attributes(NOON + timedelta(microseconds=1))["expiresAt"] == {"N": "1767268801"}


def test_a_live_task_is_first_checked_a_minute_after_its_creation() -> None:
    index_attributes = alive(a_task())

    assert index_attributes["checkAt"] == {"N": "1767268860.000000"}
    assert index_attributes["liveShard"]["S"] in {"0", "1", "2", "3"}


@pytest.mark.parametrize(
    ("name", "possible"),
    [("a", True), ("", True), ("x" * 1_019, True), ("x" * 1_020, False), ("é", False), ("\ud800", False)],
    ids=lambda value: str(value)[:4].encode("ascii", "backslashreplace").decode(),
)
def test_only_what_fits_into_a_sort_key_can_exist(name: str, possible: bool) -> None:
    assert can_exist(primary_key(ADA.owner_key, "task", name)) is possible
