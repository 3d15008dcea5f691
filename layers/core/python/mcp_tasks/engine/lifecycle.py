"""The lifecycle of tasks as clients drive it: start a task, get it, wait for it, cancel it, list them page by page.

A task is a tool call whose work goes on after its request was answered: in an execution of a Step Functions state
machine or, where its tool has none, in a run by itself.  It is stored before its work starts.  `TaskOperations`, a base
class, changes stored tasks, by `tasks/transitions.py`.  Callers see only the tasks under their own owner key.
"""

import base64
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from datetime import datetime, timedelta

from mcp_tasks.engine.allowances import spend
from mcp_tasks.engine.current_call import current_trace, note_event, note_read, note_task, note_wait, paused
from mcp_tasks.engine.limits import Limits
from mcp_tasks.engine.pacing import WAITS, PacedTasks, waits_until
from mcp_tasks.fallbacks import readable_tasks
from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.ports.store import InitialRecords
from mcp_tasks.ports.waiter import Waker
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound, Unavailable, UnreadableItem
from mcp_tasks.tasks.events import CancelRequested
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import JSON, Holding, InputRequest, InputResponse, Outcome, Progress, State, Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.transitions import is_final


@record
class InitialState:
    """What a tool call did within its request, before it became a task; the task goes on from there.

    `requested` are the keys of all input requests that the tool made, and `input_requests` those without a response;
    `steps` are the recorded results of its steps, by name, and `responses` those that it was given, by key.
    """

    requested: tuple[str, ...] = ()
    input_requests: tuple[InputRequest, ...] = ()
    steps: Mapping[str, JSON] = field(default_factory=dict)
    responses: Mapping[str, InputResponse] = field(default_factory=dict)
    progress: Progress | None = None
    status_message: str | None = None


NO_INITIAL_STATE = InitialState()


@record
class TaskService(PacedTasks):
    """What requests do with the tasks of their caller; every method that takes a task id raises `TaskNotFound`."""

    limits: Limits = field(default_factory=Limits)

    def start(
        self,
        caller: Caller,
        tool: Tool,
        arguments: Mapping[str, JSON],
        *,
        ttl: timedelta | None = None,
        progress_token: str | int | None = None,
        session: str | None = None,
        key: str | None = None,
        joins: bool = False,
        outcome: Outcome | None = None,
        client_capabilities: frozenset[str] = frozenset(),
        initial_state: InitialState = NO_INITIAL_STATE,
    ) -> Task:
        """Store a task and start its execution, or finish it at once where its `outcome` is known already.

        Returns the task as it was stored, before any `outcome` was applied: 2025-11-25 requires that a task begins as
        `working`.  It is an earlier one if an idempotency key says so: the client's `key`, or one made of the call's
        content where the call `joins` and its tool is joinable.  `ttl` is what the client asks for, and `session` the
        session whose streams the task's input requests are sent on.

        Raises `LimitReached`, `KeyReused` and `ArgumentsTooLarge`.
        """
        request, now = json.dumps([tool.name, arguments], sort_keys=True, separators=(",", ":")), self.now()
        plan = self.ports.plans.of(tenant_of(caller.owner_key))
        limits = self.limits.within(plan)
        arguments = limits.completed(tool, arguments, len(request))
        if key is not None and plan.keys_per_day is not None:
            self._spend(caller, "keys", 1, plan.keys_per_day)
        if plan.bytes_per_day is not None:
            self._spend(caller, "bytes", len(request), plan.bytes_per_day)
        granted, runs = limits.granted(tool, ttl), outcome is None and not initial_state.input_requests
        task = replace(
            _new_task(caller, tool, granted, initial_state, runs=runs, now=now),
            progress_token=progress_token,
            session=session,
            client_capabilities=client_capabilities,
            plan=plan.name,
            not_before=waits_until(tool, arguments, now),
        )
        named: IdempotencyKey | None = None
        if key is not None:
            named = IdempotencyKey.given(key, request)
        elif joins and outcome is None and initial_state == NO_INITIAL_STATE:
            named = _joining_key(caller, tool, request, client_capabilities)
        return _as_asked(caller, self._store(caller.owner_key, task, arguments, named, plan, initial_state, outcome))

    def _store(
        self,
        owner_key: str,
        task: Task,
        arguments: Mapping[str, JSON],
        key: IdempotencyKey | None,
        plan: Plan,
        initial_state: InitialState,
        outcome: Outcome | None,
    ) -> Task:
        records = InitialRecords(steps=initial_state.steps, responses=initial_state.responses)
        stored = self.ports.tasks.create(owner_key, task, arguments, key=key, plan=plan, records=records)
        if stored.id == task.id and outcome is not None:
            # The table's stream may have started the execution by now, and that may have finished the task.  It starts
            # it too where the outcome cannot be written.
            with suppress(IllegalTransition, Unavailable):
                self.finish(owner_key, stored.id, outcome)
        elif stored.state is State.QUEUED:
            # It found the queue in its way, or a slot has become free since.
            self.attempt(lambda: self.start_queued(tenant_of(owner_key), most=1))
        elif not is_final(stored):
            self.attempt(lambda: self.launch(owner_key, stored, arguments))
        return self.placed(owner_key, stored)

    def _spend(self, caller: Caller, what: str, count: int, per_day: int) -> None:
        spend(self.ports.buckets, self.ports.clock, tenant_of(caller.owner_key), what, count, per_day)

    def get(self, caller: Caller, task_id: str) -> Task:
        """Return the caller's task as it is stored now."""
        task = self.read(caller.owner_key, task_id)
        note_read(task_id)
        note_task(task)
        return self.placed(caller.owner_key, _as_asked(caller, task))

    def outcome(self, caller: Caller, task_id: str) -> Outcome:
        """Return the outcome of the caller's finished task."""
        note_read(task_id, outcome=True)
        return self.ports.tasks.outcome(caller.owner_key, task_id)

    def wait(
        self,
        caller: Caller,
        task_id: str,
        *,
        timeout: timedelta,
        since: int | None = None,
        debounce: timedelta = timedelta(),
        until: Callable[[Task], bool] = is_final,
    ) -> Task:
        """Return the task once it is final, satisfies `until`, or is newer than version `since`.

        When `timeout` is over, the task is returned as it is then.
        A task that is merely newer is not returned before `debounce` has passed, so that changes in quick succession
        are returned together.
        """
        clock, owner_key = self.ports.clock, caller.owner_key
        deadline = clock.now() + timeout
        debounce_ends = min(clock.now() + debounce, deadline)
        woken_by: Waker | None = None
        with self.ports.waiter.watch(owner_key, task_id) as watch:
            task = _as_asked(caller, self.ports.tasks.read(owner_key, task_id))
            while True:
                updates = since is not None and task.version > since
                ended = is_final(task)
                found = ended or until(task)
                left = (debounce_ends if updates else deadline) - clock.now()
                if found or left <= timedelta():
                    note_task(task)
                    late = clock.now() - task.updated_at if woken_by and ended else None
                    note_wait(woken_by, in_vain=not (found or updates), after=late)
                    return self.placed(owner_key, task)
                paused_by = paused(watch, left, clock)
                task = _as_asked(caller, self.read_again(owner_key, task, paused_by))
                # What is logged is what woke the waiter for the first update, not the debounce after it.
                woken_by = woken_by if updates else paused_by

    def updates(self, caller: Caller, seen: Mapping[str, int], *, timeout: timedelta) -> list[Task]:
        """Return those of the caller's tasks that are newer than their version in `seen`, or none if `timeout` is over.

        A task that no longer exists, or whose item cannot be read, is left out.
        """
        clock = self.ports.clock
        deadline = clock.now() + timeout
        woken_by: Waker | None = None
        with self.ports.waiter.watch(caller.owner_key, *seen) as watch:
            while True:
                found = [task for task_id in seen if (task := self._find(caller, task_id)) is not None]
                newer = [task for task in found if task.version > seen[task.id]]
                left = deadline - clock.now()
                if newer or left <= timedelta():
                    note_wait(woken_by if seen else None, in_vain=not newer)
                    return [self.placed(caller.owner_key, task) for task in newer]
                woken_by = paused(watch, left, clock)

    def claim_notification(self, caller: Caller, task: Task, listener: str) -> bool:
        """Return True to the first who claims to notify a listener of this version of the task, and False to others."""
        return self.ports.tasks.claim(caller.owner_key, task, listener)

    def cancel(self, caller: Caller, task_id: str) -> Task:
        """Cancel the caller's task and stop its execution; raises `IllegalTransition` if the task has ended already."""
        task = self.apply(caller.owner_key, task_id, CancelRequested(status_message="Cancelled on request."))
        note_task(task)
        self.attempt(lambda: self.ports.executor.stop(task, "cancelled"))
        return task

    def awaiting_input(self, caller: Caller, session: str) -> Sequence[str]:
        """Return the ids of the caller's tasks that a session started and that have open input requests.

        Only 2025-11-25 asks for them: it sends input requests on streams of the session.
        """
        return self.ports.tasks.awaiting_input(caller.owner_key, session)

    def page(self, caller: Caller, *, before: str | None, limit: int) -> tuple[Sequence[Task], str | None]:
        """Return a page of the caller's tasks, newest first, and the id to give as `before` for the next page.

        A task that is created meanwhile is on no later page, so that pages neither repeat nor skip one.  A queued task
        says that it waits, but not its place, which takes a query for each.
        """
        note_event("tasks.listed", "")
        found = self.ports.tasks.page(caller.owner_key, before=before, limit=limit + 1)

        def listed(task: Task) -> Task:
            waits = task.state is State.QUEUED
            return replace(task, status_message=f"{WAITS}.") if waits else _as_asked(caller, task)

        page = list(readable_tasks(caller.owner_key, found[:limit], listed))
        return page, found[limit - 1].id if len(found) > limit else None

    def _find(self, caller: Caller, task_id: str) -> Task | None:
        # Read again and again while somebody waits, so that what cannot be read is not logged here.
        with suppress(TaskNotFound, UnreadableItem):
            return _as_asked(caller, self.read(caller.owner_key, task_id))
        return None


def _as_asked(caller: Caller, task: Task) -> Task:
    """Return the task as its caller is shown it, without what it asks of others alone."""
    if not any(each.approval for each in task.input_requests):
        return task
    # Saves 2 ms of every cold start: few tasks ask others.
    from mcp_tasks.engine.entitlement import shown_to

    return shown_to(caller, task)


def _new_task(
    caller: Caller, tool: Tool, ttl: timedelta, initial_state: InitialState, *, runs: bool, now: datetime
) -> Task:
    """Return a task that is in want of a slot where its tool `runs` now, and does not wait for its user first."""
    return Task(
        id=new_task_id(now),
        tool=tool.name,
        tool_version=tool.version,
        trace=current_trace(),
        created_at=now,
        updated_at=now,
        ttl=ttl,
        timeout=min(tool.timeout, ttl - KEPT),
        poll_interval=tool.poll_interval,
        expected=tool.expected,
        state=State.QUEUED if runs else State.WORKING,
        holding=Holding(active=True, suspended=bool(initial_state.input_requests)),
        machine=tool.machine,
        status_message=initial_state.status_message,
        progress=initial_state.progress,
        scopes=caller.scopes,
        actor=caller.actor,
        client_id=caller.client_id,
        requested=initial_state.requested,
        requested_at=now if initial_state.input_requests else None,
        input_requests=initial_state.input_requests,
    )


def new_task_id(now: datetime) -> str:
    """Return an id that sorts by creation and cannot be guessed: 48 bits of milliseconds, then 128 random bits."""
    milliseconds = int(now.timestamp() * 1000)
    # base32hex keeps the order of the bytes, plain base32 does not.
    return base64.b32hexencode(milliseconds.to_bytes(6) + secrets.token_bytes(16)).decode().rstrip("=").lower()


def _joining_key(
    caller: Caller, tool: Tool, request: str, client_capabilities: frozenset[str]
) -> IdempotencyKey | None:
    """Return the key that identical calls of a joinable tool share, which join one task; None for other tools."""
    # Callers who cannot be told apart would join each other's calls.
    if not tool.join_within or not caller.identified:
        return None
    # What a tool does may depend on the caller's scopes, on who acts, and on what its client can be asked.
    acting = [] if caller.actor is None else [caller.actor]
    alike = [request, sorted(caller.scopes), sorted(client_capabilities), *acting]
    return IdempotencyKey.joining(alike, tool.join_within)
