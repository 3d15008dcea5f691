"""The input requests that a tool can make: elicitations and roots here, sampling in `authoring.sampling`.

Each has a key, and is sent as the protocol's method and params.  It needs a client capability: `elicitation.form`,
`elicitation.url`, `sampling`, `sampling.tools` or `roots`.

`timeout` is how long a task waits for the answer, and `default` is what the tool gets after that; both are ignored
outside of tasks.  Pydantic is not imported here: a form brings it.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar
from urllib.parse import urlsplit

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.durations import check_durations
from mcp_tasks.authoring.elicitations import check_id
from mcp_tasks.authoring.input_responses import Accepted, Cancelled, Declined, Root, content, rejection, roots
from mcp_tasks.authoring.text import text_of
from mcp_tasks.authoring.unset import UNSET
from mcp_tasks.limits.waits import BETWEEN_REMINDERS, LONGEST_SPAN
from mcp_tasks.tasks.approvals import Approval, Audience, Escalation
from mcp_tasks.tasks.model import JSON, InputRequest

if TYPE_CHECKING:
    from mcp_tasks.authoring.forms import Form

T_co = TypeVar("T_co", covariant=True)
F = TypeVar("F", bound="Form")


class Ask(Protocol[T_co]):
    """An input request as a tool makes it, which knows how to read its response."""

    @property
    def needs(self) -> str:
        """The client capability that it needs, such as `elicitation.form`."""

    @property
    def kind(self) -> str:
        """The first part of a generated key."""

    @property
    def key(self) -> str | None:
        """The key that its author gave it, or None for a generated one."""

    @property
    def default(self) -> object:
        """What the tool gets where no answer came in time; `UNSET` for `NoAnswer`."""

    def input_request(self, key: str) -> InputRequest:
        """Return the protocol's method and params, under this key."""

    def read(self, key: str, answer: Mapping[str, JSON]) -> T_co:
        """Return the response as what a tool gets; raises `BadInputResponse` if it does not fit."""


@dataclass(frozen=True, slots=True)
class Elicit(Generic[F]):
    """A form elicitation: asks the user to fill in a form.  It returns `Accepted`, `Declined` or `Cancelled`.

    With `of`, those people are asked (`authoring.audiences`), of whom `quorum` must accept, and one declines for all.
    They are shown the message, the form and `shown`, which is Markdown, and are told again each time that `remind` has
    passed.  Those of `escalate` (`authoring.audiences.after`) are asked too, in time.
    """

    message: str
    form: type[F]
    _: KW_ONLY
    key: str | None = None
    timeout: timedelta | None = None
    default: object = UNSET
    of: Audience | None = None
    quorum: int = 1
    shown: str | None = None
    remind: timedelta | None = None
    escalate: Escalation | None = None
    needs: ClassVar = "elicitation.form"
    kind: ClassVar = "elicit"

    def __post_init__(self) -> None:
        """Raise `ValueError` for a timeout that is not positive, and for what nobody could be asked; or `TypeError`."""
        text_of("the message of an elicitation", self.message)
        if not hasattr(self.form, "requested_schema"):
            raise TypeError(f"the form of an elicitation is a class, as in class Answer(Form), not {self.form!r:.80}")
        check_timeout(self.timeout)
        if self.of is not None and not isinstance(self.of, Audience):
            raise TypeError(f"of names whom to ask, by role(...), subject(...) or anyone(), not {self.of!r:.80}")
        if self.of is None and (self.quorum, self.shown, self.remind, self.escalate) != (1, None, None, None):
            raise ValueError("quorum, shown, remind and escalate are for those whom `of` names")
        check_reminder(self.remind)
        if (approval := self.approval) is not None:
            approval.check_reachable()

    @property
    def approval(self) -> Approval | None:
        """Who is asked in place of the caller, or with it; None for the caller's client alone."""
        if self.of is None:
            return None
        return Approval(
            audience=self.of, quorum=self.quorum, shown=self.shown, remind=self.remind, escalate=self.escalate
        )

    def input_request(self, key: str) -> InputRequest:
        """Return it as the protocol's method and params, under this key."""
        params = {"mode": "form", "message": self.message, "requestedSchema": self.form.requested_schema()}
        return InputRequest(
            key=key, method="elicitation/create", params=params, timeout=self.timeout, approval=self.approval
        )

    def read(self, key: str, answer: Mapping[str, JSON]) -> Accepted[F] | Declined | Cancelled:
        """Return what the tool gets; raises `BadInputResponse` for a response that does not fit."""
        refused = rejection(key, answer)
        if refused is not None:
            return refused
        try:
            return Accepted(self.form.filled_in(content(key, answer)))
        except ValueError as error:
            raise BadInputResponse(key, str(error)) from error


@dataclass(frozen=True, slots=True)
class ElicitUrl:
    """A URL elicitation: asks the user to open a URL, for example to enter a secret, which no form may ask for.

    `elicitation_id` is an id of your own, for `Context.complete_elicitation`; use each once only.
    """

    message: str
    url: str
    _: KW_ONLY
    key: str | None = None
    timeout: timedelta | None = None
    default: object = UNSET
    elicitation_id: str | None = None
    needs: ClassVar = "elicitation.url"
    kind: ClassVar = "visit"

    def __post_init__(self) -> None:
        """Raise `ValueError` for a URL that is not http(s), and for a bad timeout or id; or `TypeError`."""
        text_of("the message of an elicitation", self.message)
        text_of("the URL of an elicitation", self.url)
        if not (urlsplit(self.url).scheme in ("http", "https") and urlsplit(self.url).hostname):
            raise ValueError(f"an elicitation needs a URL with http or https and a host, not {self.url!r}")
        check_timeout(self.timeout)
        if self.elicitation_id is not None:
            check_id(self.elicitation_id)

    def input_request(self, key: str) -> InputRequest:
        """Return it as the protocol's method and params, under this key."""
        params = {"mode": "url", "message": self.message, "url": self.url}
        if self.elicitation_id is not None:
            params["elicitationId"] = self.elicitation_id
        return InputRequest(key=key, method="elicitation/create", params=params, timeout=self.timeout)

    def read(self, key: str, answer: Mapping[str, JSON]) -> Accepted[None] | Declined | Cancelled:
        """Return what the tool gets; raises `BadInputResponse` for a response that does not fit."""
        return rejection(key, answer) or Accepted(None)


@dataclass(frozen=True, slots=True)
class ListRoots:
    """Asks for the client's roots, the folders that it works in."""

    _: KW_ONLY
    key: str | None = None
    timeout: timedelta | None = None
    default: object = UNSET
    needs: ClassVar = "roots"
    kind: ClassVar = "roots"

    def __post_init__(self) -> None:
        """Raise `ValueError` for a timeout that is not positive."""
        check_timeout(self.timeout)

    def input_request(self, key: str) -> InputRequest:
        """Return it as the protocol's method and params, under this key."""
        return InputRequest(key=key, method="roots/list", params={}, timeout=self.timeout)

    def read(self, key: str, answer: Mapping[str, JSON]) -> list[Root]:
        """Return what the tool gets; raises `BadInputResponse` for a response that does not fit."""
        return roots(key, answer)


def check_timeout(timeout: timedelta | None) -> None:
    """Raise `ValueError` for a timeout that is not positive or cannot be stored, `TypeError` for what is none."""
    if timeout is None:
        return
    if isinstance(timeout, timedelta) and timeout <= timedelta():
        raise ValueError(f"nobody can answer within {timeout}: a timeout is positive")
    check_durations("an input request", longest=LONGEST_SPAN, timeout=timeout)


def check_reminder(remind: timedelta | None) -> None:
    """Raise `ValueError` for a time between reminders that is too short or too long, `TypeError` for what is none."""
    if remind is None:
        return
    check_durations("an input request", longest=LONGEST_SPAN, remind=remind)
    if remind < BETWEEN_REMINDERS:
        raise ValueError(f"people are reminded every {BETWEEN_REMINDERS} at most, not every {remind}")
