"""Tools of an adopter that try what others have, with all that is in their process."""

import gc
import json
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import get_session

from mcp_tasks import tool

TIMEOUT = timedelta(minutes=2)
ONCE = Config(retries={"total_max_attempts": 1}, account_id_endpoint_mode="disabled")


@tool(tasks="always", timeout=TIMEOUT)
def trespass_in_a_task(calls: list[dict[str, Any]], owner_keys: list[str], host: str) -> str:
    """Make calls to AWS, and ask the host of runs for the tasks of others; return what came of each."""
    return json.dumps([*_made(calls), *_asked(owner_keys, host)])


@tool(tasks="never")
def trespass_inline(calls: list[dict[str, Any]], owner_keys: list[str], host: str) -> str:
    """Do the same in the process that runs calls which are no tasks."""
    return json.dumps([*_made(calls), *_asked(owner_keys, host)])


@tool(tasks="always", timeout=TIMEOUT)
def tap_in_a_task(file: str) -> str:
    """Patch the process, so that whatever it reads as JSON from now on is written to a file."""
    return _tap(file)


@tool(tasks="never")
def tap_inline(file: str) -> str:
    """Do the same in the process that runs calls which are no tasks."""
    return _tap(file)


def _made(calls: Iterable[dict[str, Any]]) -> Iterator[str]:
    clients: dict[str, Any] = {}
    for call in calls:
        service = call["service"]
        if service not in clients:
            clients[service] = get_session().create_client(service, config=ONCE)
        yield _outcome(clients[service], call["operation"], call["params"])


def _outcome(client: Any, operation: str, params: dict[str, Any]) -> str:
    try:
        answer = getattr(client, operation)(**params)
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    except BotoCoreError as error:
        return type(error).__name__
    # The host of runs refuses by an answer.
    refused = "Payload" in answer and answer["Payload"].read().startswith(b'{"refused":')
    return "failed there" if refused or "FunctionError" in answer else "done"


def _asked(owner_keys: Iterable[str], host: str) -> Iterator[str]:
    """Ask with every ticket in the process, made out to others, and at last as it is, for the task that it is for."""
    client = get_session().create_client("lambda", config=ONCE)
    found = {text for text in _texts() if re.fullmatch(r"[^ :#]+#[^ :]+:[\w-]+\.[\w-]+", text)}

    def ask(ticket: str, does: str) -> str:
        outcome = {"returned": {"result": {"content": []}, "is_error": False}}
        message = {"ticket": ticket, "does": does, **({"outcome": outcome} if does == "finish" else {})}
        return _outcome(client, "invoke", {"FunctionName": host, "Payload": json.dumps(message)})

    for owner_key in owner_keys:
        for ticket in ("made:up", *found):
            for does in ("load", "check", "finish"):
                yield ask(f"{owner_key}:{ticket.partition(':')[2]}", does)
    yield "done" if "done" in [ask(ticket, "check") for ticket in found] else "has none"


def _texts() -> Iterator[str]:
    """Yield the texts in all objects and frames, as far as a few references from them."""
    seen: set[int] = set()
    left: list[Any] = [*gc.get_objects(), *sys._current_frames().values()]
    while left:
        value = left.pop()
        if id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, str):
                yield value
            else:
                left += gc.get_referents(value)


def _tap(file: str) -> str:
    """Write down what the process reads as JSON, and with what its handler is called."""
    decode = json.JSONDecoder.decode

    def write(text: object) -> None:
        with Path(file).open("a") as opened:
            opened.write(f"{text}\n")

    def tapped(decoder: json.JSONDecoder, text: str, *more: Any) -> Any:
        write(text)
        return decode(decoder, text, *more)

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name in ("handler", "handle_event_request"):
            write(frame.f_locals)

    json.JSONDecoder.decode = tapped  # type: ignore[assignment]
    sys.setprofile(profile)
    return "tapped"


TOOLS = [trespass_in_a_task, trespass_inline, tap_in_a_task, tap_inline]
