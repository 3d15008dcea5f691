"""What becomes of the input requests of a context: their keys, and the values of their responses."""

import hashlib
import json
import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from mcp_tasks.authoring.control_signals import BadInputResponse, InputNeeded
from mcp_tasks.authoring.errors import InputRequestFailed, MissingCapability, NoAnswer
from mcp_tasks.authoring.replay_log import AGAIN, next_key
from mcp_tasks.authoring.text import sendable, text_of
from mcp_tasks.authoring.unset import Unset
from mcp_tasks.limits.tools import MAX_ASKED_AGAIN
from mcp_tasks.tasks.model import InputRequest, InputResponse

# Imported when an input request is made, as in `context`.
if TYPE_CHECKING:
    from mcp_tasks.authoring.input_requests import Ask

logger = logging.getLogger(__name__)

T = TypeVar("T")
D = TypeVar("D")

RequestInput: TypeAlias = Callable[[Sequence[InputRequest]], Sequence[InputResponse]]


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


def responses_to(
    asks: Sequence["Ask[Any]"],
    made: list[InputRequest],
    request_input: RequestInput,
    *,
    in_task: bool,
) -> list[tuple[str, InputResponse]]:
    """Return the responses with their keys; a task makes each request again whose response does not fit any more.

    The endpoint accepted that response, so the request was another one then: the tool's code was changed.  Outside of
    a task the client is told at once what does not fit.
    """
    responses = list(request_input(made))
    for _ in range(MAX_ASKED_AGAIN if in_task else 0):
        outdated = [place for place, ask in enumerate(asks) if _is_outdated(ask, made[place], responses[place])]
        if not outdated:
            break
        for place in outdated:
            made[place] = replace(made[place], key=next_key(made[place].key))
        again = _again([made[place] for place in outdated], request_input)
        for place, response in zip(outdated, again, strict=True):
            responses[place] = response
    return list(zip([each.key for each in made], responses, strict=True))


def _again(made: Sequence[InputRequest], request_input: RequestInput) -> Sequence[InputResponse]:
    try:
        return request_input(made)
    except InputNeeded:
        logger.warning("answers do not fit what the tool asks now, so it asks again: %d", len(made))
        raise


def _is_outdated(ask: "Ask[Any]", input_request: InputRequest, response: InputResponse) -> bool:
    """Return whether a response neither can be read nor fits the input request.

    One that fits is rejected by validators that the form's schema does not show: asked again, it would be the same.
    """
    if response.result is None:
        return False
    # The ask has imported it already.
    from mcp_tasks.authoring.input_responses import check

    try:
        ask.read(input_request.key, response.result)
    except BadInputResponse:
        try:
            check(input_request, response.result)
        except BadInputResponse:
            return True
    return False


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
        text_of("the key of an input request", ask.key)
        if AGAIN in ask.key:
            raise ValueError(f"the key {ask.key!r} holds {AGAIN!r}, which marks requests that the server makes again")
        return ask.input_request(ask.key)
    input_request = ask.input_request("")
    return replace(input_request, key=f"{ask.kind}-{next(numbers)}-{digest(input_request)}")
