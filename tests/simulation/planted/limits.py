"""Bugs of limits that are not kept."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from mcp_tasks.adapters.dynamodb import counting
from mcp_tasks.adapters.memory import task_store
from mcp_tasks.engine import tool_calls
from mcp_tasks.engine.admission import Admission
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.model import Holding
from mcp_tasks.wire.rev_2025_11_25 import response_stream
from tests.simulation.planted.plant import Plant, always
from tests.simulation.traits import TABLE


@contextmanager
def _held_for_ever(self: Admission, caller: Caller) -> Iterator[bool]:
    tenant = tenant_of(caller.owner_key)
    limit = self.plans.of(tenant).held_waits
    receipt = "" if limit is None else self.held_waits.begin(tenant, limit)
    yield receipt is not None
    if receipt is not None and limit is not None:
        self.held_waits.end(tenant, receipt)


@contextmanager
def _held_by_anybody(self: Admission, caller: Caller) -> Iterator[bool]:
    yield True


def _longer(follow: Callable[..., Any]) -> Callable[..., Any]:
    return lambda tasks, call, task, timeout, until: follow(tasks, call, task, timeout + timedelta(seconds=20), until)


def _never_fewer(counting: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(owner_key: str, had: Holding, has: Holding, *more: Any, **named: Any) -> Any:
        return counting(owner_key, had, replace(has, active=had.active or has.active), *more, **named)

    return wrong


def _but_keys(spend: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, caller, what, *more: None if what == "keys" else spend(self, caller, what, *more)


LIMITS: Final = (
    Plant("any number of bytes may be kept", task_store, "check_bytes", always(None), "starts a task, and keeps"),
    Plant("requests are not counted", Admission, "_take", always(None), "not counted as one of its requests_per_sec"),
    Plant("sessions are not counted", Admission, "begin_session", always(None), "not counted as one of its sessions"),
    Plant("the bytes of a day are not counted", TaskService, "_spend", always(None), "counts as its bytes_per_day"),
    Plant("keys are not counted", TaskService, "_spend", _but_keys, "not counted as one of its keys"),
    Plant("waits are not counted", Admission, "hold", lambda right: _held_by_anybody, "waits, and that is not counted"),
    Plant(
        "a wait that breaks off is counted for ever",
        Admission,
        "hold",
        lambda right: _held_for_ever,
        "has no connections and is counted",
    ),
    Plant(
        "a call of a session waits for ever",
        response_stream,
        "_remaining_wait",
        always(timedelta.max),
        "is to be answered by",
    ),
    Plant("a call waits too long", tool_calls, "_follow", _longer, "a call waited for"),
    Plant(
        "a subject's task that ends is counted as active",
        counting,
        "_counting_of_subject",
        _never_fewer,
        "is counted active",
        TABLE,
    ),
)
