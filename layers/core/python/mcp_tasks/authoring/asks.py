"""What becomes of the input requests of a context: their keys, and the values of their responses."""

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_tasks.authoring.errors import InputRequestFailed, MissingCapability, NoAnswer
from mcp_tasks.authoring.text import sendable
from mcp_tasks.authoring.unset import Unset
from mcp_tasks.tasks.model import InputRequest, InputResponse

# Imported when an input request is made, as in `context`.
if TYPE_CHECKING:
    from mcp_tasks.authoring.input_requests import Ask

T = TypeVar("T")
D = TypeVar("D")


def input_requests(
    asks: Sequence["Ask[Any]"], client_capabilities: Collection[str], numbers: Iterator[int], asked: set[str]
) -> list[InputRequest]:
    """Return the input requests that a run makes at once, and add their keys to those `asked` before.

    `numbers` go into the keys of those that have none.  Raises `MissingCapability`, and `ValueError` or `TypeError` for
    a request that cannot be sent, or whose key was used before.
    """
    for ask in asks:
        if ask.needs not in client_capabilities and not _asks_others(ask):
            raise MissingCapability(ask.needs)
    made = [_input_request(ask, numbers) for ask in asks]
    for input_request in made:
        # Responses are found by key: the second request would get the answer to the first.
        if input_request.key in asked:
            raise ValueError(f"two input requests have the key {input_request.key!r}")
        check_sendable(input_request)
        asked.add(input_request.key)
    return made


def check_sendable(input_request: InputRequest) -> None:
    """Raise `ValueError` or `TypeError` for params that are not JSON, and for a key that no client can send back."""
    json.dumps(input_request.params, allow_nan=False)
    if sendable(input_request.key) != input_request.key:
        raise ValueError(f"the key {input_request.key!r} holds a lone surrogate, which cannot be sent")


def digest(input_request: InputRequest) -> str:
    """Return a short hash of method and params, so that a replay that makes another request gets another key."""
    asked = json.dumps([input_request.method, input_request.params], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()[:6]


def value_of(ask: "Ask[T]", key: str, response: InputResponse, default: D | Unset) -> T | D:
    """Return what the response to an input request says, or the default where it has timed out."""
    if response.error is not None:
        raise InputRequestFailed(key, response.error)
    if response.result is not None:
        answer = ask.read(key, response.result)
        return _decided_by(answer, response) if response.decisions else answer
    if isinstance(default, Unset):
        raise NoAnswer(key)
    return default


def _asks_others(ask: "Ask[Any]") -> bool:
    return getattr(ask, "approval", None) is not None


def _decided_by(answer: T, response: InputResponse) -> T:
    # The ask has imported it already.
    from mcp_tasks.authoring.input_responses import decided_by

    return decided_by(answer, response)


def _input_request(ask: "Ask[Any]", numbers: Iterator[int]) -> InputRequest:
    if ask.key is not None:
        return ask.input_request(ask.key)
    input_request = ask.input_request("")
    return replace(input_request, key=f"{ask.kind}-{next(numbers)}-{digest(input_request)}")
