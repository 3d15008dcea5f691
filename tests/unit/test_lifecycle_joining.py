"""Identical calls of a joinable tool share a task, and calls that may differ in what they do never do."""

from dataclasses import replace

import pytest

from mcp_tasks.engine.lifecycle import InitialState, TaskService
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from mcp_tasks.tasks.errors import KeyReused
from tests.kit import ADA, BOB, FixedClock
from tests.unit.jobs import DAY, DONE, MINUTE, job, service

TEN = 10 * MINUTE
joinable = replace(job, join_within=TEN)
READER = replace(ADA, scopes=frozenset({"b", "a"}))


def one_of(tasks: TaskService, caller: Caller = ADA, **more: object) -> str:
    options: dict[str, object] = {"joins": True, "arguments": {"name": "x"}, "tool": joinable} | more
    return tasks.start(caller, **options).id  # type: ignore[arg-type]


def test_identical_calls_join_for_as_long_as_their_tool_says() -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    first = one_of(tasks, ttl=DAY)

    clock.advance(TEN - MINUTE / 60)
    assert one_of(tasks) == first
    clock.advance(MINUTE / 60)
    assert one_of(tasks) != first


def test_the_order_of_what_a_client_sends_and_of_its_scopes_is_nothing_to_tell_calls_apart_by() -> None:
    tasks = service()
    capabilities = frozenset({"roots", "sampling"})
    first = one_of(tasks, READER, arguments={"a": 1, "b": 2}, client_capabilities=capabilities)

    assert one_of(tasks, READER, arguments={"b": 2, "a": 1}, client_capabilities=capabilities) == first


@pytest.mark.parametrize(
    "other",
    [
        {"arguments": {"name": "y"}},
        {"tool": replace(joinable, name="other")},
        {"caller": BOB},
        {"caller": READER},
        {"caller": replace(ADA, actor={"sub": "agent"})},
        {"client_capabilities": frozenset({"roots"})},
        {"joins": False},
        {"tool": job},
        {"outcome": DONE},
        {"initial_state": InitialState(steps={"draw": 1})},
        {"key": "k"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_calls_that_may_differ_in_what_they_do_do_not_join(other: dict[str, object]) -> None:
    tasks = service()
    first = one_of(tasks)

    assert one_of(tasks, **other) != first  # type: ignore[arg-type]
    assert one_of(tasks) == first


@pytest.mark.parametrize(
    "call",
    [
        {"joins": False},
        {"tool": job},
        {"caller": ANONYMOUS},
        {"outcome": DONE},
        {"initial_state": InitialState(steps={"draw": 1})},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_calls_that_cannot_be_joined_are_a_task_each(call: dict[str, object]) -> None:
    tasks = service()

    assert one_of(tasks, **call) != one_of(tasks, **call)  # type: ignore[arg-type]


def test_actors_who_differ_do_not_join() -> None:
    tasks = service()
    first, second, again = (one_of(tasks, replace(ADA, actor={"sub": name})) for name in ("one", "two", "one"))

    assert first == again != second


def test_actors_who_differ_below_the_outermost_do_not_join() -> None:
    tasks, agent = service(), {"sub": "agent"}
    chains = (agent, {**agent, "act": {"sub": "planner"}}, {**agent, "act": {"sub": "other"}})

    assert len({one_of(tasks, replace(ADA, actor=chain)) for chain in chains}) == 3


def test_a_key_that_a_client_gives_counts_before_that_of_the_content() -> None:
    tasks = service()
    first = one_of(tasks, key="k")

    assert one_of(tasks, key="k") == first
    with pytest.raises(KeyReused):
        one_of(tasks, key="k", arguments={})
    assert one_of(tasks) != first


def test_a_call_does_not_join_unless_it_says_so() -> None:
    tasks = service()
    first, second = (tasks.start(ADA, joinable, {}).id for _ in range(2))

    assert first != second
