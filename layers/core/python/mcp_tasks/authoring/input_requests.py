"""What a tool can ask its client and the client's user; without pydantic, which only the author of a form brings.

Each input request is named by a key, and is sent in the protocol's method and params.  Abilities are what a client must
have declared to be asked: `elicitation.form`, `elicitation.url`, `sampling`, `sampling.tools`, `roots`.

A `timeout` is for how long a task waits for the answer, and `default` is what it goes on with after that; both mean
nothing outside of tasks.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar
from urllib.parse import urlsplit

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.elicitations import check_id
from mcp_tasks.authoring.input_responses import Accepted, Cancelled, Declined, Root, content, rejection, roots
from mcp_tasks.authoring.unset import UNSET
from mcp_tasks.tasks.model import JSON, InputRequest

if TYPE_CHECKING:
    from mcp_tasks.authoring.forms import Form

T_co = TypeVar("T_co", covariant=True)
F = TypeVar("F", bound="Form")


class Ask(Protocol[T_co]):
    """Something to ask."""

    @property
    def needs(self) -> str:
        """The capability that the client must have."""

    @property
    def kind(self) -> str:
        """What input requests of this kind are called that have no key of their own."""

    @property
    def key(self) -> str | None:
        """The input request's own name."""

    @property
    def default(self) -> object:
        """What stands for an answer that did not come in time, or `UNSET`."""

    def input_request(self, key: str) -> InputRequest:
        """Return the input request in the protocol's words."""

    def read(self, key: str, answer: Mapping[str, JSON]) -> T_co:
        """Return the answer in Python's; raises `BadInputResponse`."""


@dataclass(frozen=True, slots=True)
class Elicit(Generic[F]):
    """Ask the user to fill in a form."""

    message: str
    form: type[F]
    _: KW_ONLY
    key: str | None = None
    timeout: timedelta | None = None
    default: object = UNSET
    needs: ClassVar = "elicitation.form"
    kind: ClassVar = "elicit"

    def __post_init__(self) -> None:
        """Refuse what nobody could answer; raises `ValueError`."""
        check_timeout(self.timeout)

    def input_request(self, key: str) -> InputRequest:
        """Return the input request; see `Ask`."""
        params = {"mode": "form", "message": self.message, "requestedSchema": self.form.requested_schema()}
        return InputRequest(key=key, method="elicitation/create", params=params, timeout=self.timeout)

    def read(self, key: str, answer: Mapping[str, JSON]) -> Accepted[F] | Declined | Cancelled:
        """Return the answer; see `Ask`."""
        refused = rejection(key, answer)
        if refused is not None:
            return refused
        try:
            return Accepted(self.form.filled_in(content(key, answer)))
        except ValueError as error:
            raise BadInputResponse(key, str(error)) from error


@dataclass(frozen=True, slots=True)
class ElicitUrl:
    """Ask the user to do something at a URL, which is where secrets are given: never in a form.

    `elicitation_id` is your own name for what is done there, for `Context.complete_elicitation`; it occurs once only.
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
        """Refuse what nobody could open or answer; raises `ValueError`."""
        if not (urlsplit(self.url).scheme in ("http", "https") and urlsplit(self.url).hostname):
            raise ValueError(f"no URL to send somebody to, with http or https and a host: {self.url!r}")
        check_timeout(self.timeout)
        if self.elicitation_id is not None:
            check_id(self.elicitation_id)

    def input_request(self, key: str) -> InputRequest:
        """Return the input request; see `Ask`."""
        params = {"mode": "url", "message": self.message, "url": self.url}
        if self.elicitation_id is not None:
            params["elicitationId"] = self.elicitation_id
        return InputRequest(key=key, method="elicitation/create", params=params, timeout=self.timeout)

    def read(self, key: str, answer: Mapping[str, JSON]) -> Accepted[None] | Declined | Cancelled:
        """Return the answer; see `Ask`."""
        return rejection(key, answer) or Accepted(None)


@dataclass(frozen=True, slots=True)
class ListRoots:
    """Ask which folders the client works in."""

    _: KW_ONLY
    key: str | None = None
    timeout: timedelta | None = None
    default: object = UNSET
    needs: ClassVar = "roots"
    kind: ClassVar = "roots"

    def __post_init__(self) -> None:
        """Refuse what nobody could answer; raises `ValueError`."""
        check_timeout(self.timeout)

    def input_request(self, key: str) -> InputRequest:
        """Return the input request; see `Ask`."""
        return InputRequest(key=key, method="roots/list", params={}, timeout=self.timeout)

    def read(self, key: str, answer: Mapping[str, JSON]) -> list[Root]:
        """Return the answer; see `Ask`."""
        return roots(key, answer)


def check_timeout(timeout: timedelta | None) -> None:
    """Refuse a time in which nobody could answer; raises `ValueError`."""
    if timeout is not None and timeout <= timedelta(0):
        raise ValueError(f"nobody can answer within {timeout}: a timeout is positive")
