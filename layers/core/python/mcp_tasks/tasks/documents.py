"""Converts what a task holds to JSON documents, which are stored and sent, and back; pure, no I/O.

What does not fit raises one of `json_values.READ_ERRORS`.
"""

from dataclasses import replace

from mcp_tasks.tasks.json_values import flag, integer, mapping, maybe, number, seconds, text
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, InputResponse, Outcome, Progress, Returned


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


def document_of_response(response: InputResponse) -> JSON:
    """Return the document of an input response."""
    plain = {"result": response.result, "error": response.error}
    if not response.decisions:
        return plain
    # Saves 1 ms of every cold start, as below: few responses are those of others than the client.
    from mcp_tasks.tasks.approval_documents import document_of_decision

    return {**plain, "decisions": [document_of_decision(each) for each in response.decisions]}


def response_of(document: JSON) -> InputResponse:
    """Return the input response in a document."""
    response = InputResponse(result=maybe(document.get("result"), mapping), error=maybe(document.get("error"), mapping))
    if "decisions" not in document:
        return response
    # Saves 1 ms, as above.
    from mcp_tasks.tasks.approval_documents import decisions_of

    return replace(response, decisions=decisions_of(document["decisions"]))


def value_of(document: JSON) -> JSON:
    """Return what a step recorded, which may be any JSON."""
    return document


def progress_of(document: JSON) -> Progress:
    """Return the progress in a document, which `asdict` makes of it."""
    return Progress(
        progress=number(document["progress"]),
        total=maybe(document.get("total"), number),
        message=maybe(document.get("message"), text),
    )


def document_of_request(input_request: InputRequest) -> JSON:
    """Return the document of an input request."""
    timeout = {} if input_request.timeout is None else {"timeout": input_request.timeout.total_seconds()}
    plain = {"key": input_request.key, "method": input_request.method, "params": input_request.params, **timeout}
    if input_request.approval is None:
        return plain
    # Saves 1 ms, as above.
    from mcp_tasks.tasks.approval_documents import document_of_approval

    return {**plain, "approval": document_of_approval(input_request.approval)}


def input_request_of(document: JSON) -> InputRequest:
    """Return the input request in a document."""
    input_request = InputRequest(
        key=text(document["key"]),
        method=text(document["method"]),
        params=mapping(document["params"]),
        timeout=maybe(document.get("timeout"), seconds),
    )
    if "approval" not in document:
        return input_request
    # Saves 1 ms, as above.
    from mcp_tasks.tasks.approval_documents import approval_of

    return replace(input_request, approval=approval_of(document["approval"]))
