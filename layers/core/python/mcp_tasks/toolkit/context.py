"""What a running tool may use: one object, given to the parameter that is annotated `Context`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from mcp_tasks.tasks.model import JSON, Progress, Question
from mcp_tasks.tenancy import Caller
from mcp_tasks.toolkit.errors import ClientCannot
from mcp_tasks.toolkit.text import Level, sendable

# What can be asked is imported when something is: the door runs little that asks.
if TYPE_CHECKING:
    from mcp_tasks.toolkit.contents import Message
    from mcp_tasks.toolkit.forms import Form
    from mcp_tasks.toolkit.questions import Accepted, Ask, Cancelled, Declined, Root, Sampled

T = TypeVar("T")
F = TypeVar("F", bound="Form")

LONGEST_MESSAGE = 500


class Journal(Protocol):
    """A run's link to the outside: where it writes down what must be known there, and where answers come from."""

    @property
    def abilities(self) -> frozenset[str]:
        """What the client can be asked: words of `questions`."""

    def progressed(self, progress: Progress) -> None:
        """Take note of progress; raises `TaskCancelled` once the task is final."""

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Pass a message on to the client, if it wants to read such."""

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return what the step recorded, running it if it has not; raises `TaskCancelled` once the task is final."""

    def updated(self, uri: str) -> None:
        """Let those know who watch the address that what is there changed."""

    def ask(self, questions: Sequence[Question]) -> Sequence[Mapping[str, JSON]]:
        """Return the answers, one for each question; raises a `RunEnds` while one is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A running tool's link to its caller.

    `task_id` is None when the tool was called without a task.  `attempt` counts from 1 and is higher whenever the
    tool is run again, from the top, because its process died; runs that found no room in Lambda are counted too.

    The methods that ask something either return the answer or end the run; once the answer has come, the function
    runs again from the top, is given what it was given before, and gets further.  So it must ask the same in the
    same order each time, and what must not be done twice belongs into a `step`.
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
        short = message and sendable(message[:LONGEST_MESSAGE])
        self.journal.progressed(Progress(progress=progress, total=total, message=short))

    def log(self, level: Level, data: JSON, *, logger: str | None = None) -> None:
        """Send the client a log message, if it asked for messages of this level and waits for the call itself."""
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

    def elicit(self, message: str, form: "type[F]", *, key: str | None = None) -> "Accepted[F] | Declined | Cancelled":
        """Ask the user to fill in a form; raises `ClientCannot`.  `key` names the question, once a run."""
        from mcp_tasks.toolkit.questions import Elicit

        return self._one(Elicit(message, form, key=key))

    def elicit_url(self, message: str, url: str, *, key: str | None = None) -> "Accepted[None] | Declined | Cancelled":
        """Ask the user to do something at a URL; accepting says that they went there.  Raises `ClientCannot`."""
        from mcp_tasks.toolkit.questions import ElicitUrl

        return self._one(ElicitUrl(message, url, key=key))

    def sample(
        self,
        messages: "str | Message | Sequence[str | Message]",
        *,
        max_tokens: int,
        key: str | None = None,
        **more: Any,
    ) -> "Sampled":
        """Have the client's model say something; raises `ClientCannot`.  See `Sample` for what more there is."""
        from mcp_tasks.toolkit.questions import Sample

        return self._one(Sample(messages, max_tokens=max_tokens, key=key, **more))

    def list_roots(self, *, key: str | None = None) -> "list[Root]":
        """Ask which folders the client works in; raises `ClientCannot`."""
        from mcp_tasks.toolkit.questions import ListRoots

        return self._one(ListRoots(key=key))

    def gather(self, *asks: "Ask[Any]") -> tuple[Any, ...]:
        """Ask several things at once, and return the answers in the same order; raises `ClientCannot`."""
        if not asks:
            return ()
        for ask in asks:
            if ask.needs not in self.journal.abilities:
                raise ClientCannot(ask.needs)
        questions = [ask.question(ask.key or f"{ask.kind}-{next(self._numbers)}") for ask in asks]
        for question in questions:
            # It would be given the answer to the first one.
            if question.key in self._asked:
                raise ValueError(f"two questions have the key {question.key!r}")
            self._asked.add(question.key)
        answered = zip(asks, questions, self.journal.ask(questions), strict=True)
        return tuple(ask.read(question.key, answer) for ask, question, answer in answered)

    def _one(self, ask: "Ask[T]") -> T:
        (answer,) = self.gather(ask)
        return answer  # type: ignore[no-any-return]  # what `read` returned
