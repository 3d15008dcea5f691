"""A task that asks its client: the work suspends, and nothing of it runs until the answers are in.

    run ends, asking  ->  Asked     what it asks is kept
    the work is held  ->  Suspended    input requests and task token are published, in one write
    a response           ->  Answered  kept; others are missing
    the last response    ->  Resumed   kept; then the work is let go on

Each line is one conditional write, then its side effect; the table's stream and the sweep repeat that.  Any of it may
happen twice, late or never: the stored task decides.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.limits.tools import MAX_INPUT_REQUESTS, MAX_INPUT_REQUESTS_CHARACTERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.events import Event, InputReceived, InputRequested, Resumed, Suspended
from mcp_tasks.tasks.model import InputRequest, InputResponse, State, Task


class InputRequestsTooLarge(Exception):
    """The run asks more than may be kept."""


def check_size(input_requests: Sequence[InputRequest]) -> None:
    """Refuse what is too much to be asked at once; raises `InputRequestsTooLarge`."""
    if len(input_requests) > MAX_INPUT_REQUESTS:
        raise InputRequestsTooLarge(
            f"it asks {len(input_requests)} input requests at once; {MAX_INPUT_REQUESTS} is the most"
        )
    size = sum(len(json.dumps([input_request.key, input_request.params])) for input_request in input_requests)
    if size > MAX_INPUT_REQUESTS_CHARACTERS:
        raise InputRequestsTooLarge(
            f"it asks {size:,} characters at once; {MAX_INPUT_REQUESTS_CHARACTERS:,} is the most"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspension:
    """The sentences that can be said of tasks that wait for their client."""

    tasks: TaskOperations

    def request_input(self, owner_key: str, task_id: str, input_requests: Sequence[InputRequest]) -> timedelta:
        """Keep what a run asked before it ended, and return for how long the client may be waited for.

        What another run of the tool asked before, and waits for, stays as it is.
        Raises `TaskNotFound` and, if the task is final or was answered this before, `IllegalTransition`.
        """

        def decide(task: Task) -> Event | None:
            if task.input_requests:
                return None
            if any(input_request.key in task.requested for input_request in input_requests):
                # By a run that others overtook: it read what was replied before there was a response.
                raise IllegalTransition("what was answered cannot be asked again")
            return InputRequested(input_requests=tuple(input_requests))

        return self.timeout(self.tasks.change(owner_key, task_id, decide))

    def timeout(self, task: Task) -> timedelta:
        """Return how long the first of a task's input requests may still wait for its answer."""
        return min(task.deadline(input_request) for input_request in task.input_requests) - self.tasks.now()

    def suspend(self, owner_key: str, task_id: str, task_token: str) -> None:
        """Publish what the task asks, with the token that lets its work go on; or let it go on at once.

        Raises `ExecutorUnavailable`: then suspend again, with this token or with another one.
        """
        suspended = Suspended(task_token=task_token)
        try:
            task = self.tasks.change(owner_key, task_id, lambda task: suspended if task.input_requests else None)
        except TaskNotFound:
            return
        if not task.input_requests:
            # Answered before this came, or final: either way nobody else will ever know of this token.
            self.tasks.resume(replace(task, task_token=task_token, earlier_tokens=()))

    def answer(self, caller: Caller, task_id: str, responses: Mapping[str, InputResponse]) -> Task:
        """Take responses to a task's input requests, all or none; those to requests that are not open are left out.

        Raises `TaskNotFound`, and `BadInputResponse` where a result does not fit its input request, which stays open
        then.
        """
        # Saves 7 ms of every cold start: few messages are answers.
        from mcp_tasks.authoring.input_responses import check

        def fitting(task: Task) -> Mapping[str, InputResponse]:
            taken = {each.key: responses[each.key] for each in task.open_input_requests if each.key in responses}
            for input_request in task.open_input_requests:
                response = taken.get(input_request.key)
                if response is not None and response.result is not None:
                    check(input_request, response.result)
            return taken

        return self._let_go_on(self._take(caller.owner_key, task_id, fitting))

    def give_up(self, caller: Caller, task_id: str, key: str) -> None:
        """Do without the response to an input request whose time is not over; harmless where it is not open.

        The tool hears of it as of a time that is over.  Raises `TaskNotFound`.
        """

        def unanswered(task: Task) -> Mapping[str, InputResponse]:
            return {each.key: InputResponse() for each in task.open_input_requests if each.key == key}

        self._let_go_on(self._take(caller.owner_key, task_id, unanswered))

    def expire(self, owner_key: str, task_id: str) -> Task:
        """Do without the answers whose time is over, on behalf of work that goes on; raises `TaskNotFound`."""
        now = self.tasks.now()
        return self._take(
            owner_key,
            task_id,
            lambda task: {each.key: InputResponse() for each in task.open_input_requests if task.deadline(each) <= now},
        )

    def _let_go_on(self, task: Task) -> Task:
        if task.state is State.WORKING and task.task_token is not None:
            self.tasks.attempt(lambda: self.tasks.resume(task))
        return task

    def _take(self, owner_key: str, task_id: str, replies_for: Callable[[Task], Mapping[str, InputResponse]]) -> Task:
        def decide(task: Task) -> Event | None:
            responses = replies_for(task)
            if not responses:
                return None
            missing = any(input_request.key not in responses for input_request in task.open_input_requests)
            return InputReceived(responses=responses) if missing else Resumed(responses=responses)

        return self.tasks.change(owner_key, task_id, decide)
