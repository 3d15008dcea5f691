"""What a running tool may use: one object, given to the parameter that is annotated `Context`."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from mcp_tasks.authoring.elicitations import completion
from mcp_tasks.authoring.errors import InputRequestFailed, MissingCapability, NoAnswer
from mcp_tasks.authoring.text import LEVELS, Level, sendable
from mcp_tasks.authoring.unset import UNSET, Unset
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress

# What can be asked is imported when something is: the endpoint runs little that asks.
if TYPE_CHECKING:
    from mcp_tasks.authoring.contents import Message
    from mcp_tasks.authoring.forms import Form
    from mcp_tasks.authoring.input_requests import Ask
    from mcp_tasks.authoring.input_responses import Accepted, Cancelled, Declined, Root, Sampled

T = TypeVar("T")
D = TypeVar("D")
F = TypeVar("F", bound="Form")


class Journal(Protocol):
    """A run's link to the outside: where it writes down what must be known there, and where answers come from."""

    @property
    def client_capabilities(self) -> frozenset[str]:
        """What the client can be asked: words of `input_requests`."""

    def progressed(self, progress: Progress) -> None:
        """Take note of progress; raises `TaskCancelled` once the task is final."""

    def status_reported(self, status_message: str) -> None:
        """Take note of words about where the work stands; raises `TaskCancelled` once the task is final."""

    def continue_as_task(self) -> None:
        """Go on as a task: end a run within a call of a tool with a preflight; anywhere else, do nothing."""

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Pass a message on to the client, if it wants to read such."""

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return what the step recorded, running it if it has not; raises `TaskCancelled` once the task is final."""

    def updated(self, uri: str) -> None:
        """Let those know who watch the address that what is there changed."""

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return what came back, one response for each input request; raises a `ControlSignal` while one is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A running tool's link to its caller.

    `task_id` is None when the tool was called without a task.  `attempt` counts from 1 and is higher whenever the
    tool is run again, from the top, because its process died; runs that found no room in Lambda are counted too.

    The methods that ask something either return the answer or end the run; once the answer has come, the function
    runs again from the top, is given what it was given before, and gets further.  So it must ask the same in the
    same order each time, and what must not be done twice belongs into a `step`.

    They raise `MissingCapability` where the client cannot be asked this, `InputRequestFailed` where it answers with an
    error, and `NoAnswer` where nobody answered in time.  `key` names the input request, once a run, and vouches that it
    is the same whatever its words; without one, the key is made of what is asked.  Within a task, `timeout` is how long
    to wait for the answer (None: as long as the task lives), and `default` what is returned after that, in place of
    `NoAnswer`; elsewhere, both mean nothing.
    """

    caller: Caller
    journal: Journal
    task_id: str | None = None
    attempt: int = 1
    _numbers: Iterator[int] = field(default_factory=lambda: count(1), repr=False)
    _asked: set[str] = field(default_factory=set, repr=False)

    def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the caller how far the work is; raises `TaskCancelled`.

        Progress only ever rises; at most one report a second is kept, the rest costs nothing.
        """
        if not (isfinite(progress) and isfinite(total or 0)):
            raise ValueError(f"progress of {progress} out of {total} means nothing")
        short = message and sendable(message[:MAX_LINE_CHARACTERS])
        self.journal.progressed(Progress(progress=progress, total=total, message=short))

    def report_status(self, message: str) -> None:
        """Say in words where the work stands, without a number; raises `TaskCancelled`.

        It becomes the status message of the task, and no progress notification.  Unlike progress, each change of the
        words is written: report milestones, not rows.
        """
        self.journal.status_reported(sendable(message[:MAX_LINE_CHARACTERS]))

    def continue_as_task(self) -> None:
        """Let what comes below be the work of a task, where this is the preflight of a call; see `Tool`.

        The preflight ends here.  The task runs the function again from the top, is given what was answered and what
        steps recorded, and passes this line; so does every run that is no preflight.
        """
        self.journal.continue_as_task()

    def log(self, level: Level, data: JSON, *, logger: str | None = None) -> None:
        """Send the client a log message, if it asked for messages of this level and waits for the call itself."""
        if level not in LEVELS:
            raise ValueError(f"there is no level {level!r}, only: {', '.join(LEVELS)}")
        self.journal.logged(level, data, logger)

    def resource_updated(self, uri: str) -> None:
        """Let the clients of this tenant know who watch a resource that what is at its address changed."""
        self.journal.updated(uri)

    def step(self, name: str, fn: Callable[[], T]) -> T:
        """Run `fn` and keep what it gave; when the tool runs again, that is returned and `fn` left alone.

        If the process dies before that is kept, `fn` runs again.  What `fn` returns must be JSON; a replayed run gets
        it as JSON gives it back.  Raises `TaskCancelled`.
        """
        return self.journal.step(name, fn)  # type: ignore[no-any-return]  # JSON in, the same JSON out

    def elicit(
        self,
        message: str,
        form: "type[F]",
        *,
        key: str | None = None,
        timeout: timedelta | None = None,
        default: D | Unset = UNSET,
    ) -> "Accepted[F] | Declined | Cancelled | D":
        """Ask the user to fill in a form; see `Context` for what else may come of it."""
        # Saves 20 ms of every cold start: few calls ask their client for anything.
        from mcp_tasks.authoring.input_requests import Elicit

        return self._one(Elicit(message, form, key=key, timeout=timeout), default)

    def elicit_url(
        self,
        message: str,
        url: str,
        *,
        key: str | None = None,
        timeout: timedelta | None = None,
        default: D | Unset = UNSET,
        elicitation_id: str | None = None,
    ) -> "Accepted[None] | Declined | Cancelled | D":
        """Ask the user to do something at a URL; accepting says that they went there.  See `Context`, `ElicitUrl`."""
        # Saves 20 ms, as above.
        from mcp_tasks.authoring.input_requests import ElicitUrl

        return self._one(ElicitUrl(message, url, key=key, timeout=timeout, elicitation_id=elicitation_id), default)

    def complete_elicitation(self, elicitation_id: str) -> None:
        """Let the clients of this caller know who were given this id that the user is done at the URL.

        Only 2025-11-25 has words for it, and its clients need not listen; it is harmless when repeated.
        """
        self.journal.updated(completion(self.caller.owner_key, elicitation_id))

    def sample(
        self,
        messages: "str | Message | Sequence[str | Message]",
        *,
        max_tokens: int,
        key: str | None = None,
        timeout: timedelta | None = None,
        default: D | Unset = UNSET,
        **more: Any,
    ) -> "Sampled | D":
        """Have the client's model say something; see `Context`, and `Sample` for what more there is."""
        # Saves 30 ms, as above.
        from mcp_tasks.authoring.sampling import Sample

        return self._one(Sample(messages, max_tokens=max_tokens, key=key, timeout=timeout, **more), default)

    def list_roots(
        self, *, key: str | None = None, timeout: timedelta | None = None, default: D | Unset = UNSET
    ) -> "list[Root] | D":
        """Ask which folders the client works in; see `Context`."""
        # Saves 20 ms, as above.
        from mcp_tasks.authoring.input_requests import ListRoots

        return self._one(ListRoots(key=key, timeout=timeout), default)

    def gather(self, *asks: "Ask[Any]") -> tuple[Any, ...]:
        """Ask several things at once, and return the answers in the same order; see `Context`."""
        replied = zip(asks, self._responses(asks), strict=True)
        return tuple(_value(ask, key, response, ask.default) for ask, (key, response) in replied)

    def _one(self, ask: "Ask[T]", default: D | Unset) -> T | D:
        ((key, response),) = self._responses([ask])
        return _value(ask, key, response, default)

    def _responses(self, asks: Sequence["Ask[Any]"]) -> Sequence[tuple[str, InputResponse]]:
        if not asks:
            return []
        for ask in asks:
            if ask.needs not in self.journal.client_capabilities:
                raise MissingCapability(ask.needs)
        input_requests = [self._input_request(ask) for ask in asks]
        for input_request in input_requests:
            # It would be given the answer to the first one.
            if input_request.key in self._asked:
                raise ValueError(f"two input requests have the key {input_request.key!r}")
            _check_sendable(input_request)
            self._asked.add(input_request.key)
        return list(
            zip(
                [input_request.key for input_request in input_requests],
                self.journal.request_input(input_requests),
                strict=True,
            )
        )

    def _input_request(self, ask: "Ask[Any]") -> InputRequest:
        if ask.key is not None:
            return ask.input_request(ask.key)
        input_request = ask.input_request("")
        return replace(input_request, key=f"{ask.kind}-{next(self._numbers)}-{_digest(input_request)}")


def _check_sendable(input_request: InputRequest) -> None:
    """Refuse what no client could read, or not name in its answer; raises `ValueError` or `TypeError`."""
    json.dumps(input_request.params, allow_nan=False)
    if sendable(input_request.key) != input_request.key:
        raise ValueError(
            f"the key {input_request.key!r} holds half a character, a lone surrogate: no client can send it"
        )


def _digest(input_request: InputRequest) -> str:
    """Return what tells an input request from others that could stand in its place."""
    asked = json.dumps([input_request.method, input_request.params], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()[:6]


def _value(ask: "Ask[T]", key: str, response: InputResponse, default: D | Unset) -> T | D:
    if response.error is not None:
        raise InputRequestFailed(key, response.error)
    if response.result is not None:
        return ask.read(key, response.result)
    if isinstance(default, Unset):
        raise NoAnswer(key)
    return default
