"""A greedy tenant, and a modest one whose figures are taken."""

from collections.abc import Callable
from contextlib import ExitStack
from statistics import quantiles
from typing import Final

from mcp_tasks.limits.waits import WAIT_ENDS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import State
from mcp_tasks.tasks.plan import Plan
from tests.neighbour.rev_2026_07_28.stage import INLINE, NEVER, REFUSED, WAIT, Stage
from tests.neighbour.rev_2026_07_28.tools import work

GREEDY: Final = [Caller(tenant="greedy", subject=f"subject {number}") for number in range(4)]
MODEST: Final = Caller(tenant="modest", subject="ada")
LIMITED: Final = Plan(active_tasks=100_000, requests_per_second=100, held_waits=50)
"""How many tasks run at a time is what it is where a plan does not say."""

FLOOD, CONNECTIONS, STARTED, TOIL = 4_500, 1_000, 1_000, 20.0
"""Requests a second, connections that wait, tasks that are started one by one, and seconds that each of them works."""

QUEUE, SECONDS = 10_000, 20
"""How many tasks there are, and how long it lasts."""

BEGINS, EVERY, AGAIN = 2.0, 0.5, 1.0
"""When the modest tenant comes, how often, and when it tries again what was refused."""

Figures = dict[str, list[float]]
"""Milliseconds that each request of a kind took, refusals included."""


def measure(plan: Plan, *, greedy: bool) -> Figures:
    """Return the figures of the modest tenant, alone or beside a greedy one under the same plan."""
    stage = Stage(plan)
    if greedy:
        _begin_greedy(stage)
    figures: Figures = {"tools/list": [], "inline call": [], "start of a task": []}
    kinds = [_list, _call, _start]
    for number in range(int((SECONDS - 2 * BEGINS) / EVERY)):
        taken = figures[list(figures)[number % 3]]
        _at(stage, BEGINS + EVERY * number, kinds[number % 3], taken)
    stage.run_until(SECONDS)
    # What was not done in time took as long as there was.
    for taken in figures.values():
        taken[:] = [min(each, 1000.0 * SECONDS) for each in taken]
    return figures


def percentiles(taken: list[float]) -> tuple[float, float]:
    """Return the 50th and the 95th."""
    found = quantiles(taken, n=20, method="inclusive")
    return found[9], found[18]


def ratios(alone: Figures, beside: Figures) -> dict[str, float]:
    """Return how many times as long each kind of request takes beside a greedy tenant, by the worse percentile."""
    return {
        kind: max(b / a for a, b in zip(percentiles(alone[kind]), percentiles(beside[kind]), strict=True))
        for kind in alone
    }


Kind = Callable[[Stage, Callable[[], None]], float]


def _at(stage: Stage, moment: float, kind: Kind, taken: list[float]) -> None:
    place = len(taken)
    taken.append(NEVER)

    def finish() -> None:
        taken[place] = 1000 * (stage.seconds - moment)

    def attempt() -> None:
        stage.request(lambda: kind(stage, finish), lambda done: None if done else stage.later(AGAIN, attempt))

    stage.later(moment, attempt)


def _list(stage: Stage, finish: Callable[[], None]) -> float:
    stage.client(MODEST).result("tools/list")
    stage.later(INLINE, finish)
    return INLINE


def _call(stage: Stage, finish: Callable[[], None]) -> float:
    stage.client(MODEST).result("tools/call", name="greet", arguments={})
    stage.later(INLINE, finish)
    return INLINE


def _start(stage: Stage, finish: Callable[[], None]) -> float:
    """Start a task; what counts is when it begins to run."""
    task_id = stage.client(MODEST).start("work", seconds=0)

    def look() -> None:
        if stage.began.get(task_id, NEVER) < NEVER:
            finish()
        else:
            stage.later(0.01, look)

    look()
    return INLINE


def _begin_greedy(stage: Stage) -> None:
    for number in range(STARTED):
        caller = GREEDY[number % len(GREEDY)]
        task = stage.tasks.start(caller, work, {"seconds": TOIL})
    if task.state is State.QUEUED:
        stage.store.repeat(caller.owner_key, stage.tasks.read(caller.owner_key, task.id), QUEUE - STARTED)
    for number in range(CONNECTIONS):
        _later(stage, number / CONNECTIONS, _wait, number)
    for number in range(FLOOD * SECONDS):
        _later(stage, number / FLOOD, _flood, number)


def _later(stage: Stage, moment: float, act: Callable[[Stage, Caller], None], number: int) -> None:
    stage.later(moment, lambda: act(stage, GREEDY[number % len(GREEDY)]))


def _flood(stage: Stage, caller: Caller) -> None:
    def send() -> float:
        refused = "error" in stage.client(caller).send_request("tools/list").message
        return REFUSED if refused else INLINE

    stage.request(send, lambda done: None)


def _wait(stage: Stage, caller: Caller) -> None:
    """Hold a connection whenever that is possible, and come again after the time that those are told who may not."""
    held = ExitStack()

    def send() -> float:
        return WAIT if held.enter_context(stage.server.admission.hold(caller)) else REFUSED

    def again(done: bool) -> None:
        held.close()
        stage.later(WAIT_ENDS.total_seconds() if done else AGAIN, lambda: _wait(stage, caller))

    stage.request(send, again)
