"""What can go wrong at a call of the store, DynamoDB, the executor or a run's host: each fault is one of `FAULTS`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from botocore.exceptions import ClientError, ReadTimeoutError

from mcp_tasks.ports.inbox import Inbox
from mcp_tasks.ports.run_host import RunHost
from mcp_tasks.ports.store import Backlog, Queue, TaskStore
from tests.contract.process import Crash

if TYPE_CHECKING:
    from tests.simulation.world import World

Port = Literal["store", "dynamodb", "executor", "host"]
When = Literal["before", "after", "between"]


class StoreDown(Exception):
    """The store failed, however often its client tried."""


class HostDown(Exception):
    """The function that hosts runs failed, however often it was invoked."""


WRITES = ("put_item", "update_item", "delete_item", "transact_write_items")


class Fault(NamedTuple):
    """What strikes, before or after which calls, or between a call and its repetition, and how often beside others."""

    when: When
    of: tuple[str, ...]
    """Ports, or calls of one."""
    strike: Callable[["World"], object]
    weight: int = 1

    def can_strike(self, port: str, operation: str) -> bool:
        """Return whether a call of a port may meet it."""
        return port in self.of or f"{port}.{operation}" in self.of


def _die(world: "World") -> NoReturn:
    raise Crash


def _others_act(world: "World") -> None:
    world.interleave()


def _store_down(world: "World") -> NoReturn:
    raise StoreDown


def _host_down(world: "World") -> NoReturn:
    raise HostDown


def _throttle(world: "World") -> NoReturn:
    raise ClientError({"Error": {"Code": "ThrottlingException", "Message": ""}}, "any")


def _conflict(world: "World") -> NoReturn:
    raise ClientError({"Error": {"Code": "TransactionConflictException", "Message": ""}}, "any")


def _be_down() -> NoReturn:
    raise ClientError({"Error": {"Code": "ServiceUnavailableException", "Message": ""}}, "any")


def _no_answer(world: "World") -> NoReturn:
    raise ReadTimeoutError(endpoint_url="https://states")


CONFLICT, DOWN = "writes conflict", "store fails"

FAULTS: dict[str, Fault] = {
    "dies before": Fault("before", ("store", "dynamodb", "executor"), _die),
    "dies after": Fault("after", ("store", "dynamodb", "executor"), _die),
    # What a process has read may have changed before it writes: of all that goes wrong, most mistakes are made of that.
    "slow before": Fault("before", ("store", "dynamodb", "executor", "host"), _others_act, weight=3),
    "slow after": Fault("after", ("store", "dynamodb", "executor", "host"), _others_act),
    DOWN: Fault("before", ("store", "dynamodb"), _store_down),
    "store fails after": Fault("after", ("store", "dynamodb"), _store_down),
    CONFLICT: Fault("before", tuple(f"dynamodb.{each}" for each in WRITES), _conflict),
    "executor throttles": Fault("before", ("executor",), _throttle),
    "executor answers not": Fault("after", ("executor",), _no_answer),
    "host fails": Fault("before", ("host",), _host_down),
    "host fails after": Fault("after", ("host",), _host_down),
    "host is invoked twice": Fault("between", ("host",), _others_act),
}

OUTAGE, LATE_READ, AWAY = "executor is down", "read is late", "service is away"

TABLE, STATES, S3 = "table", "step functions", "s3"
"""The services that calls go to, beside Lambda."""

FAILING: dict[Port, str] = {"store": DOWN, "dynamodb": DOWN, "executor": OUTAGE, "host": "host fails"}
"""The fault that a call of each port meets while its service is away."""

SLOWLY = frozenset({"slow before", "slow after"})
"""While one of these lasts, others act."""

UNNOTICED = SLOWLY | {"host is invoked twice"}
"""Of these a process learns nothing."""

HARMLESS = UNNOTICED | {CONFLICT}
"""After these it goes on.  Here a new session conflicts as well, which no transaction writes."""

READS = frozenset(
    method.__name__
    for method in (
        *(TaskStore.read, TaskStore.arguments, TaskStore.outcome, TaskStore.response, TaskStore.recall),
        *(TaskStore.steps, TaskStore.page, TaskStore.awaiting_input, Queue.tasks_before),
        *(Backlog.due, Inbox.items, Inbox.find, Inbox.decided, Inbox.history),
    )
) | {"load", "load_stream", "load_attempt", "subscriptions", "left", "get_object", "get_item", "query"}
"""Calls that change nothing, the last ones of a revision's own store, the bucket and the table: faults are drawn less
often there."""

RARE = frozenset(
    method.__name__
    for method in (Backlog.discard, Backlog.lease, TaskStore.release, RunHost.renew, RunHost.sleep, Inbox.accept)
) | {"prolong", "end", "invoke", "get_paginator", "notice", "history"}
"""Calls that a story makes less than once, of one port where it is named: each second one meets a fault, where there is
one that can strike it."""


@dataclass(frozen=True, slots=True)
class Faults:
    """What the calls of one process meet."""

    world: "World"
    struck: list[str]
    """The faults that this process met."""

    def meet(self, port: Port, operation: str, call: Callable[[], Any], service: str) -> Any:
        """Make a call of a service, which may be away, or meet one of the faults of the story."""
        if service in self.world.long_outages.away:
            self._be_away(port, operation, service)
        if port == "executor" and self.world.executor_is_down:
            self._note(OUTAGE)
            self.world.trace.count(f"fault: {OUTAGE}")
            self.world.trace.say(f"  {OUTAGE}: {operation}")
            _be_down()
        self.world.trace.count(f"called: {port}.{operation}")
        fault = self.world.draw_fault(port, operation)
        when = None if fault is None else FAULTS[fault].when
        if when == "before":
            self._strike(fault, port, operation)
        answer = call()
        if when == "between":
            self._strike(fault, port, operation)
            answer = call()
        if when == "after":
            self._strike(fault, port, operation)
        return answer

    def _be_away(self, port: Port, operation: str, service: str) -> None:
        self._note(FAILING[port])
        self.world.running[-1].met_outage = True
        self.world.trace.count(f"fault: {AWAY}")
        self.world.trace.say(f"  {service} is away: {operation}")
        if port == "executor":
            _be_down()
        FAULTS[FAILING[port]].strike(self.world)

    def _strike(self, fault: str | None, port: Port, operation: str) -> None:
        assert fault is not None
        trace = self.world.trace
        trace.count(f"fault: {fault}")
        trace.count(f"call: {port}.{operation}: {fault}")
        trace.say(f"  {fault} {operation}")
        self._note(fault)
        FAULTS[fault].strike(self.world)

    def _note(self, fault: str) -> None:
        self.struck.append(fault)
        if fault not in HARMLESS:
            self.world.running[-1].failed_at.append(repr(self.world.running[-1].about))


@dataclass(frozen=True, slots=True)
class Faulty:
    """A port as one process sees it."""

    of: Any
    port: Port
    faults: Faults
    service: str

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(*values: Any, **named: Any) -> Any:
            self.faults.world.running[-1].about = (*values, *named.values())
            make = getattr(self.of, operation)
            return self.faults.meet(self.port, operation, lambda: make(*values, **named), self.service)

        return call
