"""Converts outcomes and input responses to the JSON documents that are stored of them, and back; pure, no I/O.

What does not fit raises one of `reading.READ_ERRORS`, for whoever reads the item.
"""

from mcp_tasks.adapters.dynamodb.reading import flag, integer, mapping, maybe, text
from mcp_tasks.tasks.model import JSON, Failed, InputResponse, Outcome, Returned


def document_of(outcome: Outcome) -> JSON:
    """Return the document that stores an outcome."""
    match outcome:
        case Returned():
            return {"returned": {"result": outcome.result, "is_error": outcome.is_error}}
        case Failed():
            return {"faulted": {"code": outcome.code, "message": outcome.message, "data": outcome.data}}


def outcome_of(document: JSON) -> Outcome:
    """Return the outcome in a document."""
    match document:
        case {"returned": fields}:
            return Returned(result=mapping(fields["result"]), is_error=flag(fields.get("is_error", False)))
        case {"faulted": fields}:
            return Failed(code=integer(fields["code"]), message=text(fields["message"]), data=fields.get("data"))
        case _:
            raise ValueError


def response_of(document: JSON) -> InputResponse:
    """Return the input response in a document."""
    return InputResponse(result=maybe(document.get("result"), mapping), error=maybe(document.get("error"), mapping))


def value_of(document: JSON) -> JSON:
    """Return what a step recorded, which may be any JSON."""
    return document
