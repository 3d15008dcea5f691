"""How the run of a call ended, as JSON, and back; pure, no I/O.

a tool                            a prompt, a resource, a completion
outcome                           value
input_requests                    raised: what it raised, of the errors that the endpoint tells clients of,
continues_as_task                 and the control signals
lacks_capability                  failed: it raised anything else
rejects_input
"""

from collections.abc import Mapping
from typing import Final

from mcp_tasks.authoring.control_signals import BadInputResponse, InputNeeded, NonDeterminismError
from mcp_tasks.authoring.errors import BadArguments, McpError, MissingCapability, ResourceNotFound, ToolError
from mcp_tasks.engine.tool_run import AwaitsInput, ContinuesAsTask, LacksCapability, RejectsInput, RunEnd
from mcp_tasks.limits.tools import MAX_ERROR_CHARACTERS, MAX_RESULT_CHARACTERS
from mcp_tasks.run_host.reading import read_input_requests, read_json, read_line, read_outcome
from mcp_tasks.tasks.documents import document_of, document_of_request
from mcp_tasks.tasks.json_values import integer
from mcp_tasks.tasks.model import JSON, Failed, Returned


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


def end_of(document: Mapping[str, JSON]) -> RunEnd:
    """Return how the run of a tool ended; raises one of `reading.UNREADABLE`."""
    match document:
        case {"outcome": outcome}:
            return read_outcome(outcome)
        case {"input_requests": input_requests}:
            return AwaitsInput(read_input_requests(input_requests))
        case {"continues_as_task": True}:
            return ContinuesAsTask()
        case {"lacks_capability": capability}:
            return LacksCapability(MissingCapability(read_line(capability)))
        case {"rejects_input": [key, reason]}:
            return RejectsInput(BadInputResponse(read_line(key), read_line(reason, MAX_ERROR_CHARACTERS)))
    raise ValueError


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
        case ResourceNotFound() | BadArguments() | ToolError():
            kind = next(name for name, each in PLAIN.items() if isinstance(error, each))
            return {kind: str(error)}
    return None


PLAIN: Final[Mapping[str, type[Exception]]] = {
    "resource_not_found": ResourceNotFound,
    "bad_arguments": BadArguments,
    "tool_error": ToolError,
}


def error_of(document: Mapping[str, JSON]) -> BaseException:
    """Return the error in a document; raises one of `reading.UNREADABLE`."""
    ((kind, said),) = document.items()
    match kind:
        case "input_needed":
            return InputNeeded(read_input_requests(said))
        case "missing_capability":
            return MissingCapability(read_line(said))
        case "bad_input_response":
            return BadInputResponse(read_line(said[0]), read_line(said[1], MAX_ERROR_CHARACTERS))
        case "non_determinism":
            return NonDeterminismError(read_line(said[0]), read_line(said[1]))
        case "mcp_error":
            data = read_json(said["data"], MAX_RESULT_CHARACTERS)
            return McpError.of_document(integer(said["code"]), read_line(said["message"], MAX_ERROR_CHARACTERS), data)
    return PLAIN[kind](read_line(said, MAX_ERROR_CHARACTERS))
