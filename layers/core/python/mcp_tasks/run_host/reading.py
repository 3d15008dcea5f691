"""The shapes of what a process with adopters' code sends, read as if a stranger had sent it; pure, no I/O.

The params of input requests are stored, sent to clients, and shown to approvers.  They have what this server's tools
send and nothing else: a stranger's `includeContext` would have a client tell its model of other servers.  A form is
checked by a validator of JSON Schema, to which a stranger's schema could be anything: a regular expression that takes
hours, a reference to an address that only the endpoint reaches, or to itself.  So a form has what forms of the protocol
have, of the right types.  -- 2025-11-25, Elicitation, Requested Schema
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from mcp_tasks.authoring.form_fields import fault_of
from mcp_tasks.engine.suspension import check_size
from mcp_tasks.limits.tools import MAX_ELICITATION_ID_CHARACTERS, MAX_INPUT_REQUESTS_CHARACTERS, MAX_RESULT_CHARACTERS
from mcp_tasks.limits.waits import BETWEEN_REMINDERS
from mcp_tasks.run_host.shapes import (
    COUNT,
    ERROR,
    FLAG,
    INTEGER,
    LINE,
    NUMBER,
    OBJECT,
    OBJECTS,
    SPAN,
    TEXT,
    TEXTS,
    Shape,
    Shapes,
    every,
    exactly,
    fields,
    json_of,
    one_of,
    read_fields,
    text_of,
)
from mcp_tasks.tasks.json_values import mapping
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, Outcome, Progress, Returned

_FIELD: Final = fields(
    "an object with the keywords of a form's field",
    {
        **dict.fromkeys(("title", "description"), TEXT.or_absent()),
        **dict.fromkeys(("enum", "enumNames"), TEXTS.or_absent()),
        **dict.fromkeys(("minimum", "maximum"), NUMBER.or_absent()),
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), COUNT.or_absent()),
        "type": TEXT,
        "oneOf": OBJECTS.or_absent(),
        "items": OBJECT.or_absent(),
    },
)
_SCHEMA: Final = exactly("an object", {"type": one_of("object"), "properties": OBJECT, "required": TEXTS.or_absent()})


def _form(value: JSON) -> Mapping[str, JSON]:
    schema = _SCHEMA.read(value)
    for field in schema["properties"].values():
        _FIELD.read(field)
        if fault_of(field) is not None:
            raise ValueError
    if not schema["properties"].keys() >= set(schema.get("required", ())):
        raise ValueError
    return schema


def _url(value: JSON) -> str:
    address = urlsplit(TEXT.read(value))
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ValueError
    return address.geturl()


FORM: Final = exactly(
    "a form elicitation",
    {
        "mode": one_of("form").or_absent(),
        "message": TEXT,
        "requestedSchema": Shape(
            "a form: an object of type, properties and perhaps required, whose fields are a string, number, integer, "
            "boolean or list of choices, without keywords that no form of the protocol has",
            _form,
        ),
    },
)
URL: Final = exactly(
    "a URL elicitation",
    {
        "mode": one_of("url"),
        "message": TEXT,
        "url": Shape("an address with http or https and a host", _url),
        "elicitationId": text_of(MAX_ELICITATION_ID_CHARACTERS).or_absent(),
    },
)
_BLOCK: Final = fields("a content block: an object with its type", {"type": TEXT})
BLOCKS: Final = every("a list of content blocks, each an object with its type", _BLOCK)
_MESSAGE: Final = exactly(
    "a message",
    {
        "role": one_of("user", "assistant"),
        "content": Shape(
            "a content block or a list of them, each an object with its type",
            lambda value: BLOCKS.read(value if isinstance(value, list) else [value]),
        ),
    },
)
SAMPLING: Final = exactly(
    "a sampling request",
    {
        "messages": every("a list of messages", _MESSAGE),
        "maxTokens": INTEGER,
        "systemPrompt": TEXT.or_absent(),
        "temperature": NUMBER.or_absent(),
        "stopSequences": TEXTS.or_absent(),
        "tools": OBJECTS.or_absent(),
        "toolChoice": OBJECT.or_absent(),
    },
)


def is_form(method: str, params: Mapping[str, JSON]) -> bool:
    """Return whether this is a form elicitation, which alone can be shown to approvers."""
    return method == "elicitation/create" and params.get("mode", "form") == "form"


PARAMS: Final[Mapping[str, Shape[Any]]] = {
    "elicitation/create": Shape(
        "a form or URL elicitation", lambda value: (URL if mapping(value).get("mode") == "url" else FORM).read(value)
    ),
    "sampling/createMessage": SAMPLING,
    "roots/list": exactly("an empty object", {}),
}
"""By what a server may ask its client for."""

_PROGRESS: Final[Shapes] = {"progress": NUMBER, "total": NUMBER.or_null(), "message": LINE.or_null()}
PROGRESS: Final[Shape[Progress]] = Shape(
    "an object with progress, a number, and perhaps total and message",
    lambda value: Progress(**read_fields(mapping(value), _PROGRESS)),
)


def _approval(value: JSON) -> Any:
    # Saves 1 ms of every cold start: few messages ask others.
    from mcp_tasks.tasks.approval_documents import approval_of

    approval = approval_of(value)
    approval.check_reachable()
    if approval.remind is not None and approval.remind < BETWEEN_REMINDERS:
        raise ValueError
    return approval


_REQUEST: Final[Shapes] = {
    "key": TEXT,
    "method": one_of(*PARAMS),
    "timeout": SPAN.or_null(),
    "approval": Shape(
        "an approval: of, quorum, and perhaps shown, remind and escalate, each as a tool may give it", _approval
    ).or_absent(None),
}


def _input_request(value: JSON) -> InputRequest:
    read = read_fields(mapping(value), _REQUEST)
    params = read_fields(value, {"params": PARAMS[read["method"]]})["params"]
    if read["approval"] is not None and not is_form(read["method"], params):
        raise ValueError
    return InputRequest(**read, params=params)


REQUEST: Final = Shape(
    "an input request: key, method, params, perhaps a timeout, and an approval where the method is elicitation/create "
    "in form mode",
    _input_request,
)
_EVERY_REQUEST: Final = every("", REQUEST)


def _input_requests(value: JSON) -> tuple[InputRequest, ...]:
    input_requests = _EVERY_REQUEST.read(json_of(2 * MAX_INPUT_REQUESTS_CHARACTERS).read(value))
    if not 0 < len({each.key for each in input_requests}) == len(input_requests):
        raise ValueError
    check_size(input_requests)
    return input_requests


INPUT_REQUESTS: Final[Shape[tuple[InputRequest, ...]]] = Shape(
    f"a list of input requests, at least one, each with a key of its own, of {2 * MAX_INPUT_REQUESTS_CHARACTERS:,} "
    "characters of JSON at most",
    _input_requests,
)
_OF_RESULT: Final[Shapes] = {"content": BLOCKS.or_absent(), "_meta": OBJECT.or_absent()}


def _result(value: JSON) -> dict[str, JSON]:
    read_fields(mapping(value), _OF_RESULT)
    return mapping(json_of(MAX_RESULT_CHARACTERS).read(value))


RESULT: Final = Shape(f"a tool's result: an object of {MAX_RESULT_CHARACTERS:,} characters of JSON at most", _result)
RETURNED: Final = fields(
    "an object with a result, and perhaps is_error", {"result": RESULT, "is_error": FLAG.or_absent(False)}
)
FAULTED: Final = fields(
    "an object with a code and a message, and perhaps data",
    {"code": INTEGER, "message": ERROR, "data": json_of(MAX_RESULT_CHARACTERS).or_absent(None)},
)


def _outcome(value: JSON) -> Outcome:
    match value:
        case {"returned": returned}:
            return Returned(**RETURNED.at("returned", returned))
        case {"faulted": faulted}:
            return Failed(**FAULTED.at("faulted", faulted))
    raise ValueError


OUTCOME: Final[Shape[Outcome]] = Shape("an outcome: an object with returned, or with faulted", _outcome)
