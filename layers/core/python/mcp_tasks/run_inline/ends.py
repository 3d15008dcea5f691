"""How the run of a call ended, as JSON, and back; pure, no I/O.

a tool                            a prompt, a resource, a completion
outcome                           value
input_requests                    raised: what it raised, of the errors that the endpoint tells clients of,
continues_as_task                 and the control signals
lacks_capability                  failed: it raised anything else
rejects_input
"""

from collections.abc import Mapping
from typing import Final, TypeVar

from mcp_tasks.authoring.control_signals import BadInputResponse, InputNeeded, NonDeterminismError
from mcp_tasks.authoring.errors import (
    BadArguments,
    BadResult,
    McpError,
    MissingCapability,
    ResourceNotFound,
    ToolError,
)
from mcp_tasks.engine.tool_run import AwaitsInput, ContinuesAsTask, LacksCapability, RejectsInput, RunEnd
from mcp_tasks.limits.tools import MAX_RESULT_CHARACTERS
from mcp_tasks.run_host.reading import INPUT_REQUESTS, OUTCOME
from mcp_tasks.run_host.shapes import ERROR, INTEGER, LINE, Shape, Shapes, Unfit, json_of, read_fields
from mcp_tasks.tasks.documents import document_of, document_of_request
from mcp_tasks.tasks.json_values import list_of, mapping, text
from mcp_tasks.tasks.model import JSON, Failed, Returned

T = TypeVar("T")


def document_of_end(end: RunEnd) -> Mapping[str, JSON]:
    """Return the document of how the run of a tool ended."""
    match end:
        case Returned() | Failed():
            return {"outcome": document_of(end)}
        case AwaitsInput(input_requests):
            return {"input_requests": [document_of_request(each) for each in input_requests]}
        case ContinuesAsTask():
            return {"continues_as_task": True}
        case LacksCapability(error):
            return {"lacks_capability": error.capability}
        case RejectsInput(error):
            return {"rejects_input": [error.key, error.reason]}
    raise TypeError(f"a run within a request ended in {end}, which only that of a task does")


def _continues(value: JSON) -> ContinuesAsTask:
    if value is not True:
        raise ValueError
    return ContinuesAsTask()


_ENDS: Final[Mapping[str, Shape[RunEnd]]] = {
    "outcome": OUTCOME,
    "input_requests": Shape("input requests", lambda value: AwaitsInput(INPUT_REQUESTS.read(value))),
    "continues_as_task": Shape("true", _continues),
    "lacks_capability": Shape("a text", lambda value: LacksCapability(MissingCapability(LINE.read(value)))),
    "rejects_input": Shape("a key and a reason", lambda value: RejectsInput(_bad_response(value))),
}


def end_of(document: Mapping[str, JSON]) -> RunEnd:
    """Return how the run of a tool ended; raises `Unfit`."""
    return _first("the end of a run", document, _ENDS)


def document_of_error(error: BaseException) -> Mapping[str, JSON] | None:
    """Return the document of an error that the endpoint tells its client of, or None for any other."""
    match error:
        case InputNeeded():
            return {"input_needed": [document_of_request(each) for each in error.input_requests]}
        case MissingCapability():
            return {"missing_capability": error.capability}
        case BadInputResponse():
            return {"bad_input_response": [error.key, error.reason]}
        case NonDeterminismError():
            return {"non_determinism": [error.before, error.now]}
        case McpError():
            return {"mcp_error": {"code": error.code, "message": error.message, "data": error.data}}
        case ResourceNotFound() | BadArguments() | BadResult() | ToolError():
            kind = next(name for name, each in PLAIN.items() if isinstance(error, each))
            return {kind: str(error)}
    return None


PLAIN: Final[Mapping[str, type[Exception]]] = {
    "resource_not_found": ResourceNotFound,
    "bad_arguments": BadArguments,
    "bad_result": BadResult,
    "tool_error": ToolError,
}


def _bad_response(value: JSON) -> BadInputResponse:
    key, reason = list_of(text)(value)
    return BadInputResponse(LINE.read(key), ERROR.read(reason))


def _non_determinism(value: JSON) -> NonDeterminismError:
    before, now = list_of(text)(value)
    return NonDeterminismError(LINE.read(before), LINE.read(now))


def _plain(kind: type[Exception]) -> Shape[BaseException]:
    return Shape("a text", lambda value: kind(ERROR.read(value)))


_MCP_ERROR: Final[Shapes] = {"code": INTEGER, "message": ERROR, "data": json_of(MAX_RESULT_CHARACTERS)}
_ERRORS: Final[Mapping[str, Shape[BaseException]]] = {
    "input_needed": Shape("input requests", lambda value: InputNeeded(INPUT_REQUESTS.read(value))),
    "missing_capability": Shape("a text", lambda value: MissingCapability(LINE.read(value))),
    "bad_input_response": Shape("a key and a reason", _bad_response),
    "non_determinism": Shape("two texts", _non_determinism),
    "mcp_error": Shape(
        "an object with code, message and data",
        lambda value: McpError.of_document(*read_fields(mapping(value), _MCP_ERROR).values()),
    ),
    **{name: _plain(kind) for name, kind in PLAIN.items()},
}


def error_of(document: Mapping[str, JSON]) -> BaseException:
    """Return the error in a document; raises `Unfit`."""
    return _first("an error", document, _ERRORS)


def _first(of: str, document: Mapping[str, JSON], shapes: Mapping[str, Shape[T]]) -> T:
    """Return what is read of the first field that there is; raises `Unfit`."""
    for name, shape in shapes.items():
        if name in mapping(document):
            return shape.at(name, document[name])
    raise Unfit(of, f"should have one of {', '.join(shapes)}")
