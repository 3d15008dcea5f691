"""What a client sends costs CPU time in proportion to its size: every kind of input, at two sizes.

Sixteen times as much takes about sixteen times as long where the cost is linear, 256 times where it is quadratic.
"""

import base64
import gc
import json
from collections.abc import Callable, Mapping
from time import process_time
from typing import Any

import pytest

from examples.profile_csv import profile_csv
from mcp_tasks import tool
from mcp_tasks.authoring.form_validation import validation_error
from mcp_tasks.features.listing import Features
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.server import handle
from tests.kit import ADA
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25.client import Client as Old
from tests.protocol.rev_2026_07_28.client import NAME as NEW
from tests.protocol.rev_2026_07_28.client import Client as New
from tests.protocol.rev_2026_07_28.client import routing_headers

SIZE = 50_000
MUCH_MORE = 64
"""Times: as far from linear as from quadratic."""
NO_RECORDS = 0.002
TOO_LONG = 2.0
"""Seconds: what takes less than the first is not worth comparing, what takes more than the other not repeating."""

OLD = "2025-11-25"

Work = Callable[[], object]
"""What is measured."""

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
FORM = {
    "type": "object",
    "properties": {
        "texts": {"type": "array", "items": {"enum": ["a", "b"]}},
        "page": {"type": "string", "format": "uri"},
        "day": {"type": "string", "format": "date"},
        "mail": {"type": "string", "format": "email"},
    },
}
UNIQUE = {"type": "object", "properties": {"items": {"type": "array", "uniqueItems": True}}}
PATTERN = {"type": "object", "properties": {"text": {"type": "string", "pattern": "^(a+)+$"}}}
CHOICE = {"oneOf": [{"type": "array", "items": {"$ref": "#/$defs/choice"}}, {"type": "string"}, {"type": "null"}]}
CHOICES = {"type": "object", "properties": {"value": {"$ref": "#/$defs/choice"}}, "$defs": {"choice": CHOICE}}
UNKNOWN = {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}


@tool(tasks="never", input_schema=UNIQUE)
def unique(arguments: dict[str, Any]) -> str:
    """Take items that differ."""
    return "taken"


@tool(tasks="never", input_schema=PATTERN)
def patterned(arguments: dict[str, Any]) -> str:
    """Take a text with a pattern."""
    return "taken"


@tool(tasks="never", input_schema=CHOICES)
def chosen(arguments: dict[str, Any]) -> str:
    """Take lists of lists of texts."""
    return "taken"


@tool(tasks="never", input_schema=UNKNOWN)
def texts(arguments: dict[str, Any]) -> str:
    """Take texts."""
    return "taken"


FEATURES = Features.of(
    [*ALL.tools, unique, patterned, chosen, texts, profile_csv],
    list(ALL.prompts),
    list(ALL.resources),
)


def filled(piece: str, size: int) -> str:
    return piece * (size // len(piece))


def fields_of(size: int, value: Any) -> dict[str, Any]:
    return {f"{number:06}": value for number in range(size // 12)}


def body_of(body: Callable[[int], str]) -> Callable[[int], Work]:
    """POST a body that is no JSON-RPC message."""

    def work(size: int) -> Work:
        request = HttpRequest(method="POST", headers=HEADERS, body=body(size).encode())
        server = Harness(FEATURES).server
        return lambda: handle(server, request, ADA)

    return work


def headed(name: str, value: Callable[[int], str], method: str = "POST") -> Callable[[int], Work]:
    """Send a header; gateways allow some 10 KB of them, but that is the gateways' business."""

    def work(size: int) -> Work:
        request = HttpRequest(method=method, headers={**HEADERS, name: value(size)}, body=PING)
        server = Harness(FEATURES).server
        return lambda: handle(server, request, ADA)

    return work


PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


def requested(method: str, params: Callable[[int], Mapping[str, Any]], revision: str = NEW) -> Callable[[int], Work]:
    """Send a request as a client of that revision does."""

    def work(size: int) -> Work:
        harness = Harness(FEATURES)
        if revision == NEW:
            message = New(harness).build_request(method, params(size), id=1)
            headers = {name.replace("_", "-"): value for name, value in routing_headers(message).items()}
        else:
            old = Old(harness)
            old.initialize({"tasks": {}})
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params(size)}
            headers = old.headers
        request = HttpRequest(method="POST", headers=HEADERS | headers, body=json.dumps(message).encode())
        return lambda: handle(harness.server, request, ADA)

    return work


def called(tool: str, arguments: Callable[[int], Mapping[str, Any]], **more: Any) -> Callable[[int], Work]:
    """Call a tool."""
    return requested("tools/call", lambda size: {"name": tool, "arguments": arguments(size), **more})


def forged(size: int) -> str:
    """Make a value with the form of a cursor."""
    value = json.dumps(["2026-01", 1, [[]] * (size // 6)]).encode()
    return base64.urlsafe_b64encode(value).decode().rstrip("=") + ".c2lnbmVk"


def deep(size: int) -> list[Any]:
    return [json.loads("[" * 90 + "]" * 90)] * (size // 180)


def apart(size: int) -> list[Any]:
    """Make items that differ and cannot be sorted."""
    return [each for number in range(size // 20) for each in (number, str(number))]


def answered(content: Callable[[int], Mapping[str, Any]]) -> Callable[[int], Work]:
    """Fill in a form."""

    def work(size: int) -> Work:
        filled_in = content(size)
        return lambda: validation_error(FORM, filled_in)

    return work


GREETING = {"type": "ref/prompt", "name": "greeting"}
INPUTS: Mapping[str, Callable[[int], Work]] = {
    # Bodies, before anybody knows what they say.
    "a text": body_of(lambda size: '"' + filled("words, ", size) + '"'),
    "quotes": body_of(lambda size: filled('"', size)),
    "escaped quotes": body_of(lambda size: filled(r'"\"', size)),
    "escaped quotes in a text": body_of(lambda size: '"' + filled(r"\"", size) + '"'),
    "escaped quotes without an end": body_of(lambda size: '"' + filled(r"\"", size)),
    "backslashes": body_of(lambda size: '"' + filled("\\", size)),
    "brackets": body_of(lambda size: filled("[", size)),
    "brackets in texts": body_of(lambda size: "[" + filled('"[{",', size) + "1]"),
    "pairs of brackets": body_of(lambda size: "[" + filled("[],", size) + "1]"),
    "objects": body_of(lambda size: "[" + filled('{"a":{}},', size) + "1]"),
    "deep lists": body_of(lambda size: json.dumps(deep(size))),
    "names": body_of(lambda size: json.dumps(fields_of(size, 0))),
    "one name again and again": body_of(lambda size: "{" + filled('"a":1,', size) + '"a":1}'),
    "numbers": body_of(lambda size: "[" + filled("1.5e3,", size) + "1]"),
    "long numbers": body_of(lambda size: "[" + filled("9" * 4_300 + ",", size) + "1]"),
    "a number": body_of(lambda size: filled("9", size)),
    "a fraction": body_of(lambda size: "0." + filled("9", size)),
    "half characters": body_of(lambda size: '"' + filled(r"\ud83d\ude00", size) + '"'),
    "almost half characters": body_of(lambda size: '"' + filled(r"\ud83d\\", size) + '"'),
    "blanks": body_of(lambda size: filled(" ", size)),
    # Headers.
    "Accept": headed("accept", lambda size: filled("a/b; q=0.0,", size)),
    "Accept with blanks": headed("accept", lambda size: ";" + filled(" ", size)),
    "Accept with weights": headed("accept", lambda size: filled(";q=0.0", size) + "0" * size + "x"),
    "Content-Type": headed("content-type", lambda size: filled("; a", size)),
    "Origin": headed("origin", lambda size: "http://localhost:" + filled(":", size)),
    "MCP-Protocol-Version": headed("mcp-protocol-version", lambda size: filled("2", size)),
    "Mcp-Session-Id": headed("mcp-session-id", lambda size: filled("#", size), "GET"),
    "Last-Event-ID": headed("last-event-id", forged, "GET"),
    # Params.
    "a method": body_of(lambda size: json.dumps({"jsonrpc": "2.0", "id": 1, "method": filled("a", size)})),
    "an id": body_of(lambda size: json.dumps({"jsonrpc": "2.0", "id": filled("a", size), "method": "ping"})),
    "_meta": requested("tools/list", lambda size: {"_meta": fields_of(size, "x")}),
    "a cursor": requested("tools/list", lambda size: {"cursor": forged(size)}),
    "a cursor of dots": requested("tools/list", lambda size: {"cursor": filled(".", size)}),
    "a requestState": called("introduce", lambda size: {}, requestState="x" * SIZE + "." + "y" * SIZE),
    "inputResponses": requested(
        "tools/call", lambda size: {"name": "introduce", "inputResponses": fields_of(size, {})}
    ),
    "capabilities": requested(
        "initialize", lambda size: {"protocolVersion": filled("2", size), "capabilities": fields_of(size, {})}, OLD
    ),
    "an address": requested("resources/read", lambda size: {"uri": "archive://" + filled("2025/", size)}),
    "taskIds": requested("subscriptions/listen", lambda size: {"notifications": {"taskIds": [filled("x", 10)] * size}}),
    "arguments of a prompt": requested(
        "prompts/get", lambda size: {"name": "greeting", "arguments": fields_of(size, "x")}
    ),
    "what is typed": requested(
        "completion/complete", lambda size: {"ref": GREETING, "argument": {"name": "name", "value": filled("x", size)}}
    ),
    # Arguments, by what is wrong with them.
    "a long text": called("greet", lambda size: {"name": filled("é", size)}),
    "wrong items": called("chatter", lambda size: {"levels": [0] * (size // 3)}),
    "nested items": called("greet", lambda size: {"name": deep(size)}),
    "unknown names": called("greet", lambda size: fields_of(size, 0)),
    "names that no schema knows": called("reach", lambda size: {"phone": "1"} | fields_of(size, 0)),
    "wrong values by a schema": called("texts", lambda size: fields_of(size, 0)),
    "items that differ": called("unique", lambda size: {"items": apart(size)}),
    "a text for a pattern": called("patterned", lambda size: {"text": filled("a", size) + "!"}),
    "values that fit no choice": called("chosen", lambda size: {"value": [0] * (size // 3)}),
    "deep values that fit no choice": called("chosen", lambda size: {"value": [*deep(size // 32), 0]}),
    "arguments of a task": called("ponder", lambda size: {"question": filled("x", size)}),
    "arguments of a machine": called("sleep", lambda size: {"seconds": [0] * (size // 3)}),
    "a table": called("profile_csv", lambda size: {"csv": "name,size\n" + filled("a,1.5\n", size)}),
    "a wide table": called("profile_csv", lambda size: {"csv": filled("a,", size) + "\n1"}),
    "numbers that are none": called("profile_csv", lambda size: {"csv": "a\n" + filled("1" * 300 + "\n", size)}),
    # Answers.
    "wrong choices": answered(lambda size: {"texts": ["c"] * (size // 4)}),
    "wrong kinds": answered(lambda size: {"texts": [0] * (size // 2)}),
    "a URI": answered(lambda size: {"page": "http://" + filled("é.", size)}),
    "a date": answered(lambda size: {"day": filled("2026-", size)}),
    "an address for mail": answered(lambda size: {"mail": filled("@", size)}),
}


def seconds(work: Work) -> float:
    # How often the collector passes by, and how long it takes, depends on all that the process holds.
    gc.disable()
    try:
        began = process_time()
        work()
        return process_time() - began
    finally:
        gc.enable()


@pytest.mark.parametrize("name", INPUTS)
def test_sixteen_times_as_much_takes_about_sixteen_times_as_long(name: str) -> None:
    little, much = (INPUTS[name](size) for size in (SIZE, 16 * SIZE))

    before = seconds(little)
    assert before < TOO_LONG
    before = min(before, seconds(little))
    after = seconds(much)

    assert after < MUCH_MORE * max(before, NO_RECORDS), f"{before:.3f} s, and then {after:.3f} s"
