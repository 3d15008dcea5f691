"""What can go wrong at a call of the store or the executor; to add a fault is to add an entry to `FAULTS`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from botocore.exceptions import ClientError, ReadTimeoutError

from mcp_tasks.ports.store import Backlog, TaskStore
from tests.contract.process import Crash
from tests.contract.step_functions import Machine

if TYPE_CHECKING:
    from tests.simulation.world import World

Port = Literal["store", "executor"]
When = Literal["before", "after"]


class StoreDown(Exception):
    """The store failed, however often its client tried."""


class Fault(NamedTuple):
    """What strikes, before or after which calls."""

    when: When
    of: tuple[Port, ...]
    strike: Callable[["World"], object]


def _die(world: "World") -> NoReturn:
    raise Crash


def _others_act(world: "World") -> None:
    world.interleave()


def _store_down(world: "World") -> NoReturn:
    raise StoreDown


def _throttle(world: "World") -> NoReturn:
    raise ClientError({"Error": {"Code": "ThrottlingException", "Message": ""}}, "any")


def _no_answer(world: "World") -> NoReturn:
    raise ReadTimeoutError(endpoint_url="https://states")


FAULTS: dict[str, Fault] = {
    "dies before": Fault("before", ("store", "executor"), _die),
    "dies after": Fault("after", ("store", "executor"), _die),
    "slow before": Fault("before", ("store", "executor"), _others_act),
    "slow after": Fault("after", ("store", "executor"), _others_act),
    "store fails": Fault("before", ("store",), _store_down),
    "store fails after": Fault("after", ("store",), _store_down),
    "executor throttles": Fault("before", ("executor",), _throttle),
    "executor answers not": Fault("after", ("executor",), _no_answer),
}

HARMLESS = frozenset({"slow before", "slow after"})
"""After these a process goes on as if nothing had been."""

READS = frozenset(
    method.__name__
    for method in (
        *(TaskStore.read, TaskStore.arguments, TaskStore.outcome, TaskStore.response, TaskStore.recall),
        *(TaskStore.page, TaskStore.awaiting_input, Backlog.due, Machine.describe_execution),
    )
) | {"load", "load_stream", "load_attempt", "subscriptions"}
"""Calls that change nothing, the last four of a revision's own store: what strikes there is drawn less often."""


@dataclass(frozen=True, slots=True)
class Faulty:
    """A port as one process sees it: each call may meet one of the faults of the story."""

    of: Any
    port: Port
    world: "World"
    struck: list[str]
    """The faults that this process met."""

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(*values: Any, **named: Any) -> Any:
            fault = self.world.draw_fault(self.port, operation)
            if fault is not None and FAULTS[fault].when == "before":
                self._strike(fault, operation)
            answer = getattr(self.of, operation)(*values, **named)
            if fault is not None and FAULTS[fault].when == "after":
                self._strike(fault, operation)
            return answer

        return call

    def _strike(self, fault: str, operation: str) -> None:
        trace = self.world.trace
        trace.count(f"fault: {fault}")
        trace.count(f"call: {operation}: {fault}")
        trace.say(f"  {fault} {operation}")
        self.struck.append(fault)
        FAULTS[fault].strike(self.world)
