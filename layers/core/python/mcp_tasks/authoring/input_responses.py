"""Input responses: what tools get, and the checks by which the endpoint rejects a response that does not fit.

Every cold start of the endpoint imports this module, so it imports nothing heavy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.wording import quoted
from mcp_tasks.tasks.approvals import Decision, agree
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Accepted(Generic[T]):
    """The user accepted; `value` is the form as filled in, and None for a URL.

    `by` are the subjects who accepted so, where the elicitation says `of` whom.  `decisions` are all that were made of
    it, the last of which decided; where there is a quorum, each has its `content`, and some may have another.
    """

    value: T
    by: tuple[str, ...] = field(default=(), repr=False)
    decisions: tuple[Decision, ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Declined:
    """The user explicitly declined; `by` is who did, where the elicitation says `of` whom, after these `decisions`."""

    by: tuple[str, ...] = field(default=(), repr=False)
    decisions: tuple[Decision, ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The user dismissed the request without accepting or declining it."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """The message that the client's model generated; `content` holds its content blocks."""

    content: Sequence[Mapping[str, JSON]]
    model: str
    stop_reason: str | None = None

    @property
    def text(self) -> str:
        """The text of all text blocks, joined."""
        return "".join(str(block["text"]) for block in self.content if block.get("type") == "text")


@dataclass(frozen=True, slots=True)
class Root:
    """A root of the client: a folder that it works in."""

    uri: str
    name: str | None = None


def decided_by(answer: T, response: InputResponse) -> T:
    """Return an answer that others than the client may have given, with their names and all that they decided."""
    decisions = response.decisions
    if isinstance(answer, Accepted):
        by = tuple(each.subject for each in decisions if agree(each, decisions[-1]))
        return replace(answer, by=by, decisions=decisions)
    if isinstance(answer, Declined):
        return replace(answer, by=(decisions[-1].subject,), decisions=decisions)
    return answer


def check(input_request: InputRequest, result: Mapping[str, JSON]) -> None:
    """Raise `BadInputResponse` for a result that does not fit the input request.

    A result that passes can be read by the run, unless the form has validators that its schema does not show.
    """
    match input_request.method:
        case "elicitation/create":
            if rejection(input_request.key, result) is None and input_request.params.get("mode") != "url":
                _check_form(input_request, content(input_request.key, result))
        case "sampling/createMessage":
            sampled(input_request.key, result)
        case _:
            roots(input_request.key, result)


def rejection(key: str, answer: Mapping[str, JSON]) -> Declined | Cancelled | None:
    """Return how the user rejected an elicitation, or None if they accepted it; raises `BadInputResponse`."""
    match answer.get("action"):
        case "accept":
            return None
        case "decline":
            return Declined()
        case "cancel":
            return Cancelled()
        case other:
            raise BadInputResponse(key, f"action should be accept, decline or cancel, not {quoted(other)}")


def content(key: str, answer: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Return the content of an accepted form, empty if it was left out; raises `BadInputResponse`."""
    given = answer.get("content")
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadInputResponse(key, f"content should be an object with the form's fields, not {quoted(given)}")
    return given


def sampled(key: str, answer: Mapping[str, JSON]) -> Sampled:
    """Return the message of a `CreateMessageResult`; raises `BadInputResponse`."""
    role, model, content, reason = (answer.get(name) for name in ("role", "model", "content", "stopReason"))
    blocks: list[Any] = content if isinstance(content, list) else [content]
    if role not in ("assistant", "user"):
        raise BadInputResponse(key, f"role should be assistant or user, not {quoted(role)}")
    if not isinstance(model, str):
        raise BadInputResponse(key, f"model should be the name of the model, not {quoted(model)}")
    for block in blocks:
        if not _is_block(block):
            raise BadInputResponse(
                key, f"content should be blocks with their type, and text if it is text: {quoted(block)}"
            )
    return Sampled(content=blocks, model=model, stop_reason=reason if isinstance(reason, str) else None)


def roots(key: str, answer: Mapping[str, JSON]) -> list[Root]:
    """Return the roots of a `ListRootsResult`; raises `BadInputResponse`."""
    given = answer.get("roots")
    if not isinstance(given, list):
        raise BadInputResponse(key, f"roots should be a list, not {quoted(given)}")
    for number, root in enumerate(given):
        if not _is_root(root):
            raise BadInputResponse(
                key, f"roots.{number} should be an object with a uri, and a name or none: {quoted(root)}"
            )
    return [Root(root["uri"], root.get("name")) for root in given]


def _check_form(input_request: InputRequest, filled_in: Mapping[str, JSON]) -> None:
    # Saves jsonschema, 100 ms: most answers fill in no form.
    from mcp_tasks.authoring.form_validation import validation_error

    reason = validation_error(input_request.params["requestedSchema"], filled_in)
    if reason is not None:
        raise BadInputResponse(input_request.key, reason)


def _is_block(value: JSON) -> bool:
    match value:
        case {"type": "text"}:
            return isinstance(value.get("text"), str)
        case {"type": str()}:
            return True
        case _:
            return False


def _is_root(value: JSON) -> bool:
    return isinstance(value, dict) and isinstance(value.get("uri"), str) and isinstance(value.get("name"), str | None)
