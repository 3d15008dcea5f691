"""Every path of a task that asks, cut off right before and right after each AWS call, and repaired by the others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from mcp_tasks.engine.lifecycle import Begun
from mcp_tasks.tasks.model import InputRequest, InputResponse, Task
from tests.cloud import Cloud
from tests.contract.process import Crash, Fuse, Process, When
from tests.contract.shop import ABILITIES, ANSWERS, EVERYBODY, NAME, ROOTS, SESSION, Shop
from tests.contract.situations import (
    answered_in_part,
    answered_meanwhile,
    answered_only,
    answered_only_a_minute_ago,
    cancelled_only,
    expired_and_deleted,
    nobody_answered,
    out_of_time,
    out_of_time_in_part,
    parked_again,
)
from tests.kit import ADA, FixedClock
from tests.slow import one_of

SHARDS = ["query"] * 4
READS = {"query", "get_item", "describe_execution"}
WRITE = "transact_write_items"
LATE = InputResponse(result={"action": "decline"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """One thing that a process does.

    `given` is what happened before, by processes that lived on; `calls` is what `does` asks of AWS, in order.
    Each of `repairs` is a sequence of repairers that is enough.
    """

    given: Callable[[Shop], Task | None]
    does: Callable[[Shop, Process, Any], object]
    calls: list[str]
    repairs: list[str]


def answer(**responses: InputResponse) -> Callable[[Shop, Process, Task], object]:
    return lambda shop, process, task: process.parking.answer(ADA, task.id, responses)


def changed(shop: Shop, process: Process, _: Task) -> None:
    """Hear of the last thing that happened to the task."""
    (history,) = shop.world.histories()
    process.repair.changed(ADA.owner_key, *history[-2:])


def step(shop: Shop, process: Process, _: Task) -> None:
    shop.step(process)


def begin(shop: Shop, process: Process, _: None) -> None:
    """Start the task of a call that did a step and was answered one thing, and asks another."""
    roots = InputRequest(key="roots", method="roots/list", params={}, timeout=timedelta(minutes=10))
    begun = Begun(requested=("name", "roots"), input_requests=(roots,), steps={"draw": None}, responses={"name": NAME})
    process.tasks.start(ADA, shop.order, {"minutes": 10}, session=SESSION, client_capabilities=ABILITIES, begun=begun)


PATHS = {
    "begin on the way": Path(
        given=lambda shop: None,
        does=begin,
        calls=["put_item", "put_item", WRITE, "start_execution", "get_item"],
        repairs=["stream", "sweep"],
    ),
    "ask": Path(
        given=Shop.started,
        does=step,
        calls=["get_item"] * 4 + ["put_item"] + ["get_item"] * 4 + [WRITE],
        repairs=["work"],
    ),
    "park": Path(given=Shop.asked, does=step, calls=["get_item", WRITE], repairs=["work"]),
    "park again": Path(given=parked_again, does=step, calls=["get_item", WRITE], repairs=["work"]),
    "park what was answered": Path(
        given=answered_meanwhile, does=step, calls=["get_item", "send_task_success"], repairs=["work"]
    ),
    "answer": Path(
        given=Shop.parked,
        does=answer(**ANSWERS),
        calls=["get_item", WRITE, "send_task_success"],
        repairs=["stream", "sweep", "client"],
    ),
    "answer in part": Path(
        given=Shop.parked, does=answer(name=NAME), calls=["get_item", WRITE], repairs=["", "stream", "client"]
    ),
    "answer the rest": Path(
        given=answered_in_part,
        does=answer(roots=ROOTS),
        calls=["get_item", WRITE, "send_task_success"],
        repairs=["stream", "sweep", "client"],
    ),
    "answer once more": Path(
        given=Shop.answered, does=answer(name=LATE), calls=["get_item", "send_task_success"], repairs=["", "stream"]
    ),
    "answer once more in part": Path(
        given=answered_in_part, does=answer(name=LATE), calls=["get_item"], repairs=["", "stream"]
    ),
    "give up the last input request": Path(
        given=answered_in_part,
        does=lambda shop, process, task: process.parking.give_up(ADA, task.id, "roots"),
        calls=["get_item", WRITE, "send_task_success"],
        repairs=["stream", "sweep", "client"],
    ),
    "give up one input request": Path(
        given=Shop.parked,
        does=lambda shop, process, task: process.parking.give_up(ADA, task.id, "roots"),
        calls=["get_item", WRITE],
        repairs=["", "stream", "client"],
    ),
    "go on": Path(
        given=Shop.answered,
        does=step,
        calls=["get_item"] * 3 + ["get_item"] * 3 + ["get_item"] * 2 + ["get_item", WRITE],
        repairs=["work"],
    ),
    "let it go on, by the stream": Path(
        given=answered_only, does=changed, calls=["send_task_success"], repairs=["stream", "sweep", "client"]
    ),
    "let it go on, by the sweep": Path(
        given=answered_only_a_minute_ago,
        does=lambda shop, process, _: process.repair.sweep(limit=10),
        calls=[*SHARDS, "get_item", "update_item", "describe_execution", "send_task_success", "update_item"],
        repairs=["stream", "sweep", "client"],
    ),
    "do without one answer": Path(given=out_of_time_in_part, does=step, calls=["get_item", WRITE], repairs=["work"]),
    "do without the last answer": Path(
        given=out_of_time,
        does=step,
        calls=["get_item", WRITE] + ["get_item"] * 2 + ["get_item"] * 3 + ["get_item"] * 2 + ["get_item", WRITE],
        repairs=["work", "stream work"],
    ),
    "cancel what is asked": Path(
        given=Shop.asked,
        does=lambda shop, process, task: process.tasks.cancel(ADA, task.id),
        calls=["get_item", WRITE, "stop_execution"],
        repairs=["stream", "work"],
    ),
    "cancel what is parked": Path(
        given=Shop.parked,
        does=lambda shop, process, task: process.tasks.cancel(ADA, task.id),
        calls=["get_item", WRITE, "stop_execution"],
        repairs=["stream"],
    ),
    "stop what is parked, by the stream": Path(
        given=cancelled_only, does=changed, calls=["stop_execution"], repairs=["stream"]
    ),
    "expire, by the stream": Path(
        given=expired_and_deleted,
        does=lambda shop, process, task: process.repair.changed(ADA.owner_key, task, None),
        calls=[WRITE, "stop_execution"],
        repairs=["stream"],
    ),
    "give up on the client, by the sweep": Path(
        given=nobody_answered,
        does=lambda shop, process, _: process.repair.sweep(limit=10),
        calls=[*SHARDS, "get_item", "update_item", "get_item", WRITE, "stop_execution"],
        repairs=["sweep stream", "stream sweep stream"],
    ),
}


def cuts() -> Iterator[Any]:
    """Name every place where a process may die, and who repairs then.

    Dying after a read is dying before what comes next.  At each call, one of them is not slow.
    """
    for name, path in PATHS.items():
        for number, operation in enumerate(path.calls):
            whens = ("before", "after") if operation not in READS else ("before",)
            for (when, repairs), marks in one_of(product(whens, path.repairs), number):
                place = f"{name}: {when} {number} {operation}, then {repairs or 'nobody'}"
                yield pytest.param(path, number, when, repairs, id=place, marks=marks)


@pytest.fixture
def shop(aws: Cloud, clock: FixedClock) -> Shop:
    return Shop.on_aws(aws, clock)


@pytest.mark.parametrize("name", PATHS)
def test_a_path_makes_these_calls(shop: Shop, name: str) -> None:
    path, fuse = PATHS[name], Fuse()
    path.does(shop, shop.world.process(fuse), path.given(shop))

    assert fuse.calls == path.calls

    shop.repair("stream")
    shop.check()


@pytest.mark.parametrize(("path", "number", "when", "repairs"), list(cuts()))
def test_a_process_may_die_anywhere(shop: Shop, path: Path, number: int, when: When, repairs: str) -> None:
    task = path.given(shop)
    with pytest.raises(Crash):
        path.does(shop, shop.world.process(Fuse(number=number, when=when)), task)

    shop.repair(repairs)
    shop.check(crashes=1)

    shop.repair(EVERYBODY)
    shop.check(crashes=1)
    shop.check_over()
