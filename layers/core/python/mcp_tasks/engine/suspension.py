"""Suspends a task that needs input from its client, or sleeps: no code of it runs until then.

    what happens                               event           what is written
    a run ends with input requests             InputRequested  the input requests, not shown to clients yet
    the execution waits for a task token       Suspended       the token; from now on clients see the input requests
    a response comes, and others are missing   InputReceived   the response
    the last response comes                    Resumed         the response; then the execution is resumed, if there
                                                               is a slot for it, or when its turn comes
    a run ends because the task sleeps         SleepStarted    when it wakes; the execution waits until then, and
                                                               nobody sends the token that it waits for
    a run is to begin without a slot           SlotNeeded      the slot or, if none is free, the place in the queue; the
                                                               execution waits for its turn as it waits for input

Each row is one conditional write, followed by its side effect, which the table's stream and the sweep repeat.  Any of
them may happen twice, late or never: the stored task decides.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.engine.current_call import note_refusal, note_task
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.limits.tools import (
    MAX_APPROVALS,
    MAX_INPUT_REQUESTS,
    MAX_INPUT_REQUESTS_CHARACTERS,
    MAX_REQUESTED_CHARACTERS,
)
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.events import Event, InputReceived, InputRequested, Resumed, SleepStarted, SlotNeeded, Suspended
from mcp_tasks.tasks.model import DIRECT_MACHINE, InputRequest, InputResponse, State, Task


class InputRequestsTooLarge(Exception):
    """A run made more input requests, or larger ones, than can be stored with a task, now or with those before."""


def check_size(input_requests: Sequence[InputRequest]) -> None:
    """Raise `InputRequestsTooLarge` if these input requests are too many, or too large, to be open at once."""
    if len(input_requests) > MAX_INPUT_REQUESTS:
        raise InputRequestsTooLarge(
            f"it makes {len(input_requests)} input requests at once; {MAX_INPUT_REQUESTS} is the most"
        )
    approvals = [each.approval for each in input_requests if each.approval is not None]
    if (asked := sum(len(each.audiences) for each in approvals)) > MAX_APPROVALS:
        raise InputRequestsTooLarge(
            f"it asks others {asked} things at once, of which one that escalates is two; {MAX_APPROVALS} is the most"
        )
    size = sum(len(json.dumps([input_request.key, input_request.params])) for input_request in input_requests)
    size += sum(len(json.dumps(each.shown)) for each in approvals)
    if size > MAX_INPUT_REQUESTS_CHARACTERS:
        raise InputRequestsTooLarge(
            f"it makes input requests of {size:,} characters; {MAX_INPUT_REQUESTS_CHARACTERS:,} is the most"
        )


def check_requested(before: Sequence[str], now: Sequence[InputRequest] = ()) -> None:
    """Raise `InputRequestsTooLarge` if the keys requested before, and those now, are too long to be kept together."""
    size = len(json.dumps([*dict.fromkeys((*before, *(each.key for each in now)))]))
    if size > MAX_REQUESTED_CHARACTERS:
        raise InputRequestsTooLarge(
            f"it makes input requests whose keys are {size:,} characters, with those that it made before; "
            f"{MAX_REQUESTED_CHARACTERS:,} is the most"
        )


def _check_suspendable(task: Task) -> None:
    if task.machine == DIRECT_MACHINE:
        raise IllegalTransition("a task without an execution cannot be suspended: nothing would resume it")


@record
class Suspension:
    """Stores the input requests of tasks and the responses to them, and suspends and resumes their executions."""

    tasks: TaskOperations

    def request_input(self, owner_key: str, task_id: str, input_requests: Sequence[InputRequest]) -> timedelta:
        """Store the input requests that a run ended with, and return how long to wait for the first response.

        Input requests of another run that are open already are kept instead.
        Raises `TaskNotFound`, `InputRequestsTooLarge` and, if the task is final or has a response to one of them,
        `IllegalTransition`.
        """

        def decide(task: Task) -> Event | None:
            _check_suspendable(task)
            if task.input_requests:
                return None
            if any(input_request.key in task.requested for input_request in input_requests):
                # A concurrent run that read the responses before this one came.
                raise IllegalTransition("an input request that has a response cannot be made again")
            check_requested(task.requested, input_requests)
            return InputRequested(input_requests=tuple(input_requests))

        return self.timeout(self.tasks.change(owner_key, task_id, decide))

    def sleep(self, owner_key: str, task_id: str, wakes_at: datetime) -> timedelta:
        """Store when a task that sleeps wakes, and return how long that is; raises what `change` of `tasks` does."""

        def decide(task: Task) -> Event:
            _check_suspendable(task)
            return SleepStarted(wakes_at=min(wakes_at, task.expires_at - KEPT))

        task = self.tasks.change(owner_key, task_id, decide)
        assert task.wakes_at, "a task that sleeps wakes"
        return task.wakes_at - self.tasks.now()

    def remaining(self, task: Task) -> timedelta | None:
        """Return how long the task waits for input or for a slot, or sleeps, from now on; None if it does not."""
        if task.input_requests:
            return self.timeout(task)
        if task.state is State.QUEUED:
            return task.due_at - self.tasks.now()
        if task.wakes_at is not None and task.wakes_at > self.tasks.now():
            return task.wakes_at - self.tasks.now()
        return None

    def timeout(self, task: Task) -> timedelta:
        """Return the time left until the first of the task's input requests is given up."""
        return min(task.deadline(input_request) for input_request in task.input_requests) - self.tasks.now()

    def suspend(self, owner_key: str, task_id: str, task_token: str) -> None:
        """Store the task token of an execution that waits, which shows clients the input requests.

        Where none is open any more, the execution is resumed at once, unless the task sleeps or is queued.  To be
        called again, with this token or another one, after it raised `ExecutorUnavailable`.
        """

        def decide(task: Task) -> Event | None:
            waits = task.input_requests or task.state is State.QUEUED
            return Suspended(task_token=task_token) if waits else None

        try:
            task = self.tasks.change(owner_key, task_id, decide)
        except TaskNotFound:
            return
        if self.remaining(task) is None:
            # The responses or the slot came first, the sleep is over, or the task is final: it is stored nowhere.
            self.tasks.resume(replace(task, task_token=task_token, earlier_tokens=()))

    def answer(
        self,
        caller: Caller,
        task_id: str,
        responses: Mapping[str, InputResponse],
        *,
        permit: Callable[[Task], None] = lambda task: None,
    ) -> Task:
        """Store responses to a task's input requests, by key, all or none; those to requests not open are ignored.

        `permit` raises where the caller may not answer them.  Raises `TaskNotFound`, and `BadInputResponse` where a
        result does not fit its input request, which stays open.
        """
        # Saves 7 ms of every cold start: few messages are input responses.
        from mcp_tasks.authoring.input_responses import check

        def fitting(task: Task) -> Mapping[str, InputResponse]:
            permit(task)
            taken = {each.key: responses[each.key] for each in task.open_input_requests if each.key in responses}
            for input_request in task.open_input_requests:
                response = taken.get(input_request.key)
                if response is None:
                    continue
                if response.result is not None:
                    check(input_request, response.result)
                if input_request.approval is not None:
                    taken[input_request.key] = self._decided(caller, task, input_request, response)
            return taken

        return self.respond(caller.owner_key, task_id, fitting)

    def respond(
        self, owner_key: str, task_id: str, responses_to: Callable[[Task], Mapping[str, InputResponse]]
    ) -> Task:
        """Store the responses that are returned for the task as it is, and resume it with the last of them."""
        answered = self._record(owner_key, task_id, responses_to)
        note_task(answered)
        return self._resume(owner_key, answered)

    def give_up(self, caller: Caller, task_id: str, key: str) -> None:
        """Give up an input request before its timeout, if it is open; the tool is told that there was no response.

        One that others may answer stays open for them.  Raises `TaskNotFound`.
        """

        def unanswered(task: Task) -> Mapping[str, InputResponse]:
            given_up = (each for each in task.open_input_requests if each.key == key and each.approval is None)
            return {each.key: InputResponse() for each in given_up}

        self.respond(caller.owner_key, task_id, unanswered)

    def expire(self, owner_key: str, task_id: str) -> Task:
        """Give up the input requests that have timed out, for an execution that was resumed; raises `TaskNotFound`."""
        now = self.tasks.now()
        return self._record(
            owner_key,
            task_id,
            lambda task: {each.key: InputResponse() for each in task.open_input_requests if task.deadline(each) <= now},
        )

    def admit(self, owner_key: str, task: Task) -> Task:
        """Return the task as it is once its run has a slot, or waits for one; raises what `change` of `tasks` does."""

        def decide(task: Task) -> Event | None:
            runs = task.state is State.WORKING and self.remaining(task) is None
            return SlotNeeded() if runs and task.lacks_slot else None

        return task if decide(task) is None else self.tasks.change(owner_key, task.id, decide)

    def _decided(
        self, caller: Caller, task: Task, input_request: InputRequest, response: InputResponse
    ) -> InputResponse:
        """Return the response to what others may answer too, with the decision that it is.

        Raises `BadInputResponse` where the caller is not one of them.
        """
        # Saves 2 ms of every cold start: few tasks ask others.
        from mcp_tasks.engine.entitlement import is_asked, own_decision

        if not is_asked(input_request, caller, task):
            excluded = input_request.approval is not None and input_request.approval.audience.not_asker
            note_refusal("own_approval" if excluded else "unknown_approval")
            raise BadInputResponse(input_request.key, "it is not for this caller to answer")
        if response.result is None:
            return response
        decisions = own_decision(caller, task, input_request.key, response.result, at=self.tasks.now())
        return replace(response, decisions=decisions)

    def _resume(self, owner_key: str, task: Task) -> Task:
        if task.state is State.QUEUED:
            # It found the queue in its way, or a slot has become free since.
            self.tasks.start_queued(tenant_of(owner_key), most=1)
        if task.state is State.WORKING and task.task_token is not None:
            self.tasks.attempt(lambda: self.tasks.resume(task))
        return task

    def _record(
        self, owner_key: str, task_id: str, responses_to: Callable[[Task], Mapping[str, InputResponse]]
    ) -> Task:
        def decide(task: Task) -> Event | None:
            responses = responses_to(task)
            if not responses:
                return None
            missing = any(input_request.key not in responses for input_request in task.open_input_requests)
            return InputReceived(responses=responses) if missing else Resumed(responses=responses)

        return self.tasks.change(owner_key, task_id, decide)
