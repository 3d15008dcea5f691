"""The context of a running tool, prompt or resource: passed to the parameter that is annotated `Context`."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from datetime import timedelta
from functools import partial
from itertools import count
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_tasks.authoring.asks import input_requests, responses_to, value_of
from mcp_tasks.authoring.durations import check_durations
from mcp_tasks.authoring.elicitations import completion_key
from mcp_tasks.authoring.journal import Journal
from mcp_tasks.authoring.no_data import NoData
from mcp_tasks.authoring.retries import Retries
from mcp_tasks.authoring.step_names import USED_TWICE, NotRecorded, check_called, check_step_name, raise_not_recorded
from mcp_tasks.authoring.text import LEVELS, Level, plain, text_of
from mcp_tasks.authoring.unset import UNSET, Unset
from mcp_tasks.limits.requests import MAX_URI_CHARACTERS
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.limits.waits import BACKOFF, LONGEST_SPAN
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, InputResponse, Progress

# Input requests are imported when one is made: most calls make none.
if TYPE_CHECKING:
    from mcp_tasks.authoring.contents import Message
    from mcp_tasks.authoring.forms import Form
    from mcp_tasks.authoring.input_requests import Ask
    from mcp_tasks.authoring.input_responses import Accepted, Cancelled, Declined, Root, Sampled
    from mcp_tasks.tasks.approvals import Audience, Escalation

T = TypeVar("T")
D = TypeVar("D")
F = TypeVar("F", bound="Form")

ASKS = "Elicit(...), ElicitUrl(...), Sample(...) or ListRoots(...)"


@record
class Context(NoData):
    """What a running tool knows of its call, and how it reaches its client.

    `task_id` is None when the tool was called without a task.  `attempt` counts from 1 and rises whenever the function
    is run again because its process died; attempts that Lambda had no capacity for are counted too.
    `state_input` is what the tool's own state machine hands over (`functions.run(scope, state_input=...)`), the same in
    every run of a task.

    The methods that make an input request (`elicit`, `elicit_url`, `sample`, `list_roots`, `gather`) either return the
    answer or end the run.  Once the answer is recorded, the function is replayed: it runs again from its start, and
    earlier input requests and steps return what was recorded.  So it must make the same input requests in the same
    order each time, and what must not be done twice belongs in a `step`.

    They raise `MissingCapability` where the client lacks the capability, `InputRequestFailed` where it responds with an
    error, and `NoAnswer` where no answer came in time.  `key` identifies the input request across replays, however it
    is worded, and is used once a run; without one, the key is derived from the request.  Within a task, `timeout` is
    how long to wait for the answer (None: as long as the task is kept), and `default` is returned after that in place
    of `NoAnswer`; outside of tasks both are ignored.
    """

    caller: Caller
    journal: Journal
    task_id: str | None = None
    attempt: int = 1
    state_input: JSON = None
    _numbers: Iterator[int] = field(default_factory=lambda: count(1), repr=False)
    _sleeps: Iterator[int] = field(default_factory=lambda: count(1), repr=False)
    _asked: set[str] = field(default_factory=set, repr=False)
    _steps: set[str] = field(default_factory=set, repr=False)
    _patches: dict[str, bool] = field(default_factory=dict, repr=False)

    def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Report how far the work is, in units of your own; raises `TaskCancelled` once the task is final.

        `message` becomes the task's status message.  A report that is not higher than the last is dropped, and so is
        one of a task that comes within a second: report as often as you like.
        """
        progress, total = plain("progress", progress), None if total is None else plain("total", total)
        if not (isfinite(progress) and isfinite(total or 0)):
            raise ValueError(f"progress {progress} of {total}: both must be finite numbers")
        short = None if message is None else text_of("the message of a report", message)[:MAX_LINE_CHARACTERS]
        self.journal.progressed(Progress(progress=progress, total=total, message=short))

    def report_status(self, message: str) -> None:
        """Set the task's status message without reporting progress; raises `TaskCancelled` once the task is final.

        Each message that differs from the last is written to the store: report milestones, not rows.
        """
        self.journal.status_reported(text_of("the message of a report", message)[:MAX_LINE_CHARACTERS])

    def expect(self, duration: timedelta) -> None:
        """Say how much longer the work takes from here; clients that wait look again shortly before that time.

        Say it again when you know better.  Outside of a task it does nothing; raises `TaskCancelled` as above.
        """
        check_durations("context.expect", longest=LONGEST_SPAN, duration=duration)
        self.journal.expected(duration)

    def continue_as_task(self) -> None:
        """End the inline part of a call of a tool that `starts_inline`: the rest of the function runs as a task.

        The task replays the function with the recorded answers and steps, and passes this line, as other runs do.
        """
        self.journal.continue_as_task()

    def aws(self, service: str, **options: Any) -> Any:
        """Return a client of AWS that reaches what `infra/tool_access.py` grants to each tenant, of the caller's alone.

        It is made anew, as `boto3.client(service, **options)` would make it, and good for this run: keep it in no
        global variable.  Only a task has it: the inline part of a call that may become one ends here, as at
        `continue_as_task`, and any other call gets a `RuntimeError`.
        """
        credentials = self.journal.tenant_credentials()
        # Saves 40 ms of every cold start whose tools use no AWS.
        from mcp_tasks.authoring.aws_clients import client

        return client(service, credentials, **options)

    def log(self, level: Level, data: JSON, *, logger: str | None = None) -> None:
        """Send the client a log message, if it waits for this call and has set a level that includes it."""
        if level not in LEVELS:
            raise ValueError(f"there is no level {level!r}, only: {', '.join(LEVELS)}")
        self.journal.logged(level, data, None if logger is None else text_of("the name of a logger", logger))

    def resource_updated(self, uri: str) -> None:
        """Notify the clients of this tenant that subscribed to the resource at this URI that it changed."""
        uri = text_of("the URI of a resource", uri)
        if len(uri) > MAX_URI_CHARACTERS:
            raise ValueError(f"no client can name a URI of more than {MAX_URI_CHARACTERS:,} characters")
        # Saves a module of most cold starts.
        from mcp_tasks.authoring.uris import normalised

        self.journal.updated(normalised(uri))

    def step(self, name: str, fn: Callable[[], T], *, retries: int = 0, backoff: timedelta = BACKOFF) -> T:
        """Run `fn` once and record its result under this name; a later run gets the record, and `fn` is not called.

        If the process dies before the result is recorded, `fn` runs again.  The result must be JSON (a tuple comes back
        as a list).  Raises `TaskCancelled` once the task is final, `TypeError` if the result is not JSON, and
        `ValueError` for a name that a step of this run has already, unless that step raised.

        Where `fn` raises, it is called again, `retries` times at most: after `backoff`, then twice as long each time,
        up to a minute, less up to half of that by chance.  The last error is raised; so is any other one that the run
        has no time left to retry, and each `ToolError` or `McpError`.
        """
        retried = self._retries(name, fn, retries, backoff)
        with self._name_taken(name):
            return self.journal.step(name, lambda: retried.run(fn))  # type: ignore[no-any-return]  # JSON in, JSON out

    async def step_async(
        self, name: str, fn: Callable[[], Awaitable[T]], *, retries: int = 0, backoff: timedelta = BACKOFF
    ) -> T:
        """Do what `step` does with a function that is awaited, for tools that are an `async def`."""
        retried = self._retries(name, fn, retries, backoff)
        with self._name_taken(name):
            with suppress(NotRecorded):
                return self.journal.step(name, raise_not_recorded)  # type: ignore[no-any-return]  # as above
            value = await retried.run_async(fn)
            return self.journal.step(name, lambda: value)  # type: ignore[no-any-return]  # as above

    def _retries(self, step: str, fn: object, retries: int, backoff: timedelta) -> Retries:
        check_called(step, fn)
        return Retries.of(step, retries, backoff, wait=partial(self.journal.wait_to_retry, step))

    @contextmanager
    def _name_taken(self, step: str) -> Iterator[None]:
        if step in self._steps:
            raise ValueError(f"two steps are named {step!r}, {USED_TWICE}")
        self._steps.add(step)
        try:
            yield
        except BaseException:
            self._steps.discard(step)
            raise

    def patched(self, change: str) -> bool:
        """Return whether the task takes the new path at a change of its tool: False if it was past here without it.

        It was where a run recorded a step or made an input request that comes later.  True is recorded as by a step,
        so that each run gets the same, however often it asks.  Raises `TaskCancelled` once the task is final.
        """
        if change not in self._patches:
            check_step_name(change)
            self._patches[change] = self.journal.patched(f"patched {change}")
        return self._patches[change]

    def sleep(self, duration: timedelta) -> None:
        """Suspend the task for this long, days for example: no code of it runs, and the `timeout` of the tool stands.

        The run ends here.  When the time is over the function is replayed, and passes this line.  The task still reads
        as `working`, with the last status message.  Raises `ToolError` if the task would not be kept for so long.
        """
        check_durations("context.sleep", duration=duration)
        self.journal.sleep(duration, partial(self.step, f"sleep {next(self._sleeps)}"))

    def elicit(
        self,
        message: str,
        form: "type[F]",
        *,
        key: str | None = None,
        timeout: timedelta | None = None,
        default: D | Unset = UNSET,
        of: "Audience | None" = None,
        quorum: int = 1,
        shown: str | None = None,
        remind: timedelta | None = None,
        escalate: "Escalation | None" = None,
    ) -> "Accepted[F] | Declined | Cancelled | D":
        """Ask the user to fill in a form; the errors, `key`, `timeout` and `default` are explained at `Context`.

        With `of`, others are asked: `role("finance")`, `subject("grace")`, `anyone()` or `anyone_but_me()`.  So many as
        `quorum` says must accept, each of another subject, and one who declines does so for all; `by` says who it was.
        They are shown the message, the form and `shown` (Markdown), and nothing else of the task.  They are told that
        something waits, and again each time that `remind` has passed.  With `escalate=after(timedelta(hours=4),
        role("cfo"))` those may answer too after that time, but not the caller where `of` excludes it.

        The caller's client is asked too if the caller is one of the first and the quorum 1; what it lacks does not
        matter.  Only a task can wait for others, and its tool says so: `@tool(approvals=True)`.
        """
        # Saves 20 ms of every cold start: few calls ask their client for anything.
        from mcp_tasks.authoring.input_requests import Elicit

        ask = Elicit(
            message, form, key=key, timeout=timeout, of=of, quorum=quorum, shown=shown, remind=remind, escalate=escalate
        )
        return self._one(ask, default)

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
        """Ask the user to open a URL; `Accepted` says that they agreed to, not what they did there.

        With an `elicitation_id` of your own, `complete_elicitation` can report that the user is done.
        """
        # Saves 20 ms, as above.
        from mcp_tasks.authoring.input_requests import ElicitUrl

        return self._one(ElicitUrl(message, url, key=key, timeout=timeout, elicitation_id=elicitation_id), default)

    def complete_elicitation(self, elicitation_id: str) -> None:
        """Notify the caller's clients that the user is done at the URL that was sent with this id.

        Only clients of 2025-11-25 are notified (`notifications/elicitation/complete`).  It may be called repeatedly.
        """
        self.journal.updated(completion_key(self.caller.owner_key, elicitation_id))

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
        """Ask the client's model to generate a message; `more` are the other fields of `Sample`."""
        # Saves 30 ms, as above.
        from mcp_tasks.authoring.sampling import Sample

        return self._one(Sample(messages, max_tokens=max_tokens, key=key, timeout=timeout, **more), default)

    def list_roots(
        self, *, key: str | None = None, timeout: timedelta | None = None, default: D | Unset = UNSET
    ) -> "list[Root] | D":
        """Ask for the client's roots, the folders that it works in."""
        # Saves 20 ms, as above.
        from mcp_tasks.authoring.input_requests import ListRoots

        return self._one(ListRoots(key=key, timeout=timeout), default)

    def gather(self, *asks: "Ask[Any]") -> tuple[Any, ...]:
        """Make several input requests at once, and return the answers in the same order."""
        for ask in asks:
            if not hasattr(ask, "needs"):
                raise TypeError(f"gather takes {ASKS}, not {type(ask).__name__}: context.elicit has asked already")
        pairs = zip(asks, self._responses(asks), strict=True)
        return tuple(value_of(ask, key, response, ask.default) for ask, (key, response) in pairs)

    def _one(self, ask: "Ask[T]", default: D | Unset) -> T | D:
        ((key, response),) = self._responses([ask])
        return value_of(ask, key, response, default)

    def _responses(self, asks: Sequence["Ask[Any]"]) -> Sequence[tuple[str, InputResponse]]:
        if not asks:
            return []
        made = input_requests(asks, self.journal.client_capabilities, self._numbers, self._asked)
        return responses_to(asks, made, self.journal.request_input, in_task=self.task_id is not None)
