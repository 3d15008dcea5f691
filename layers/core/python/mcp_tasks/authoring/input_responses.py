"""What comes back for an input request: how a run reads it, and what the endpoint rejects, by the same rules.

The endpoint knows an input request only as it was asked, and imports this each time it starts: nothing heavy comes with
it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.wording import quoted
from mcp_tasks.tasks.model import JSON, InputRequest

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Accepted(Generic[T]):
    """The user agreed; `value` is what they filled in."""

    value: T


@dataclass(frozen=True, slots=True)
class Declined:
    """The user said no."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The user went away without a yes or a no."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """What the client's model said; `content` is the protocol's blocks."""

    content: Sequence[Mapping[str, JSON]]
    model: str
    stop_reason: str | None = None

    @property
    def text(self) -> str:
        """Return the text of it."""
        return "".join(str(block["text"]) for block in self.content if block.get("type") == "text")


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that the client works in."""

    uri: str
    name: str | None = None


def check(input_request: InputRequest, result: Mapping[str, JSON]) -> None:
    """Refuse what is no answer to the input request; raises `BadInputResponse`, which says what would be one.

    What is let through can be read in the run, unless the form has rules that its schema does not show.
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
    """Return the user's no, or None if it is a yes; raises `BadInputResponse`."""
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
    """Return what the user filled in, which is nothing where it is left out; raises `BadInputResponse`."""
    given = answer.get("content")
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadInputResponse(key, f"content should be an object with the form's fields, not {quoted(given)}")
    return given


def sampled(key: str, answer: Mapping[str, JSON]) -> Sampled:
    """Return what a model said; raises `BadInputResponse`."""
    role, model, said, reason = (answer.get(name) for name in ("role", "model", "content", "stopReason"))
    blocks: list[Any] = said if isinstance(said, list) else [said]
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
    """Return folders; raises `BadInputResponse`."""
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
