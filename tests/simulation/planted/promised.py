"""Bugs of what clients are promised: what is kept and for how long, and what they are told, of whom and when."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from mcp_tasks.adapters.dynamodb import counting
from mcp_tasks.adapters.memory import task_store
from mcp_tasks.adapters.memory.live import LiveTasks
from mcp_tasks.engine import lifecycle
from mcp_tasks.engine.approval_notices import ApprovalNotices
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.events import CancelRequested
from mcp_tasks.tasks.model import Holding, InputRequest, Task
from mcp_tasks.tasks.transitions import advance, is_final
from mcp_tasks.wire import input_responses
from mcp_tasks.wire.rev_2025_11_25 import response_stream, task_methods
from mcp_tasks.wire.rev_2025_11_25.deliveries import Delivery
from mcp_tasks.wire.rev_2025_11_25.sessions import Attempt
from mcp_tasks.wire.rev_2026_07_28 import listen, mrtr
from mcp_tasks.wire.rev_2026_07_28.call import Call
from tests.simulation.planted.plant import Change, Plant, always
from tests.simulation.traits import TABLE


def _first_wins(journal: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(call: Call, **named: Any) -> InlineJournal:
        made: InlineJournal = journal(call, **named)
        made.replay_log.responses = {**input_responses.given(call.params), **mrtr.replay_of(call).responses}
        return made

    return wrong


def _since_call(remaining_wait: Callable[..., Any]) -> Callable[..., Any]:
    return lambda server, session, position, task: remaining_wait(
        server, session, position, replace(task, resumed_at=None)
    )


def _carried_for_ever(is_claimable: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Delivery, attempt: Attempt) -> bool:
        is_over = attempt.not_before is not None and self.server.tasks.now() >= attempt.not_before
        return bool(is_claimable(self, attempt)) and (attempt.stream is None or is_over)

    return wrong


def _forgotten(answer: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Suspension, caller: Caller, task_id: str, responses: Mapping[str, Any], **named: Any) -> Task:
        open_ones = {each.key for each in self.tasks.read(caller.owner_key, task_id).open_input_requests}
        kept = {key: response for key, response in responses.items() if key not in open_ones}
        task: Task = answer(self, caller, task_id, kept, **named)
        return task

    return wrong


def _half(deadline: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Task, input_request: InputRequest) -> datetime:
        until: datetime = deadline(self, input_request)
        return until if self.requested_at is None else self.requested_at + (until - self.requested_at) / 2

    return wrong


def _written_once(cancel: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: TaskService, caller: Caller, task_id: str) -> Task:
        before = self.ports.tasks.read(caller.owner_key, task_id)
        after = advance(before, CancelRequested(status_message="Cancelled."), now=self.ports.clock.now())
        task = self.ports.tasks.write(caller.owner_key, before, replace(after, version=before.version + 1))
        self.attempt(lambda: self.ports.executor.stop(task, "cancelled"))
        return task

    return wrong


def _naming_others(error: Callable[..., Any]) -> Callable[..., Any]:
    return lambda code, message: error(code, f"{message} There are {STORED[-8:]}.")


def _noting(store: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: TaskService, owner_key: str, task: Task, *more: Any) -> Any:
        STORED.append(task.id)
        return store(self, owner_key, task, *more)

    return wrong


def _younger_first(next_turn: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(live: LiveTasks, tenant: str, *more: Any) -> tuple[str, str] | None:
        turn = next_turn(live, tenant, *more)
        places = [name for _, name in live.queue if turn is not None and name[0] == turn[0]]
        first = [name for name in places if name[1] == min(places)[1]]
        return turn and (turn[0], max(first)[2])

    return wrong


def _never_fewer(counting: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(owner_key: str, had: Holding, has: Holding, *more: Any, **named: Any) -> Any:
        return counting(owner_key, had, replace(has, suspended=had.suspended or has.suspended), *more, **named)

    return wrong


def _a_minute_after(expires_at: property) -> property:
    def wrong(task: Task) -> datetime:
        until = task.created_at + task.ttl
        return min(until, task.updated_at + timedelta(minutes=1)) if is_final(task) else until

    return property(wrong)


def _six_minutes(new_task: Callable[..., Any]) -> Callable[..., Any]:
    return lambda caller, tool, ttl, *more, **named: new_task(caller, tool, timedelta(minutes=6), *more, **named)


def _half_again(updates: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(*values: Any) -> Iterator[Mapping[str, Any]]:
        for message in updates(*values):
            yield message
            if message["method"] == "notifications/progress":
                params = message["params"]
                yield {**message, "params": {**params, "progress": params["progress"] / 2}}

    return wrong


STORED: Final[list[str]] = []
"""The tasks of everybody, for a bug that names them."""

PROMISED: Final = (
    Plant(
        "an answer is acknowledged, and not kept",
        Suspension,
        "answer",
        _forgotten,
        "is acknowledged, and not kept",
    ),
    Plant(
        "a task goes on after half the time to answer", Task, "deadline", _half, "and there was time|is said to want"
    ),
    Plant(
        "a task is gone a minute after it ended",
        Task,
        "expires_at",
        _a_minute_after,
        "is lost|is there, and|not listed|was accepted",
    ),
    Plant("nobody gets the time that a client asks for", lifecycle, "_new_task", _six_minutes, "and was to be for"),
    Plant("nobody is told again", ApprovalNotices, "remind", always(None), "are told of it"),
    Plant(
        "who listens is told of nothing", listen, "_updates", lambda right: lambda *values: iter(()), "is not told that"
    ),
    Plant("progress goes back on a stream", response_stream, "_updates", _half_again, "was sent .*, and then"),
    Plant(
        "a cancellation that loses a race fails",
        TaskService,
        "cancel",
        _written_once,
        "an internal error without a fault",
    ),
    Plant(
        "who cancels too late is told of others' tasks",
        task_methods,
        "RpcError",
        _naming_others,
        "sees task-",
        beside=(Change(TaskService, "_store", _noting),),
    ),
    Plant(
        "a subject's task that goes on is counted as suspended",
        counting,
        "_counting_of_subject",
        _never_fewer,
        "is counted suspended",
        TABLE,
    ),
    Plant("the younger of a subject's queued tasks begin first", task_store, "next_turn", _younger_first, "overtakes"),
    Plant(
        "the first response to an input request counts",
        mrtr,
        "journal",
        _first_wins,
        "a call says|says .* for name|a response that does not fit|an internal error",
    ),
    Plant(
        "a call waits no longer after an answer",
        response_stream,
        "_remaining_wait",
        _since_call,
        "is answered with .*, and should wait until",
    ),
    Plant(
        "a stream that was given up carries its requests for ever",
        Delivery,
        "is_claimable",
        _carried_for_ever,
        "is on no stream that its client has not given up",
    ),
)
