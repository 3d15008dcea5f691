"""The requirements of revision 2025-11-25 for a server with tools, tasks, prompts, resources and input requests."""

from typing import Final

from tests.protocol.rows import rows

SPECIFICATION = "https://modelcontextprotocol.io/specification/2025-11-25"

TABLE = {
    "basic": """
        A-BASE-1 | MUST | A body holds one JSON-RPC 2.0 message in UTF-8; there are no batches.
        A-BASE-2 | MUST | A request's id is a string or an integer; 0 and "" are ids too.
        A-BASE-3 | MUST | A response has the id of its request, of the same type, and either a result or an error.
        A-BASE-4 | MUST | An error has a code and a message; it has no id only if the id could not be read.
        A-BASE-5 | MUST | A notification gets no response.
        A-BASE-6 | MUST | Keys of _meta follow their grammar, and this server's own use no reserved prefix.
        A-BASE-7 | PRAC | Unknown fields of params and unknown keys of _meta are ignored.
        A-BASE-8 | MUST | A schema without $schema is JSON Schema 2020-12.
        A-BASE-9 | PRAC | A method that is unknown or was not negotiated is -32601, with HTTP status 200.
    """,
    "basic/lifecycle": """
        A-LIFE-1 | MUST | `initialize` is the first request. | binds clients
        A-LIFE-2 | MUST | Its result has the protocol version, the capabilities and serverInfo.
        A-LIFE-3 | MUST | A supported version is returned as requested; any other is answered with the newest.
        A-LIFE-4 | MAY | Reject the version instead. | not done: there is always a version to answer with
        A-LIFE-5 | SHOULD | Disconnect if the server's version is not supported. | binds clients
        A-LIFE-6 | MUST | `notifications/initialized` follows, and is accepted.
        A-LIFE-7 | SHOULD NOT | Send the client no requests, and no notifications but log messages, before that.
        A-LIFE-8 | SHOULD NOT | Clients send requests other than pings before that; this server accepts them.
        A-LIFE-9 | MUST | Use only what was negotiated.
        A-LIFE-10 | MUST | Declare the capabilities of all features that the server has.
        A-LIFE-11 | SHOULD | Time requests out, then cancel them. | input requests: A-INP-11; no notification is sent
        A-LIFE-12 | - | Closing the connections is the shutdown. | the connections are the gateway's
        A-LIFE-13 | MUST | A ping is answered at once with an empty result.
        A-LIFE-14 | PRAC | What was negotiated is known to every instance of the server.
    """,
    "basic/transports": """
        A-HTTP-1 | MUST | One path serves POST and GET.
        A-HTTP-2 | MUST | An Origin that is not allowed is rejected with 403, whatever the method.
        A-HTTP-3 | SHOULD | Authenticate all connections. | done by the authorizer: tests/functions/test_authorize.py
        A-HTTP-4 | MUST | A POST accepts both JSON and SSE; a server may reject any other with 406.
        A-HTTP-5 | MUST | A body is a request, a notification or a response.
        A-HTTP-6 | MUST | An accepted notification or response is answered with 202 and no body.
        A-HTTP-7 | MUST | One that is not accepted is answered with an HTTP error.
        A-HTTP-8 | MUST | A request is answered with one JSON object or an SSE stream.
        A-HTTP-9 | MUST | Support both kinds of response. | binds clients
        A-HTTP-10 | PRAC | A JSON-RPC error in response to a well-formed request has HTTP status 200.
        A-HTTP-11 | PRAC | Invalid JSON is 400/-32700, an invalid message -32600, a wrong media type 415, a method 405.
        A-HTTP-12 | MUST | An MCP-Protocol-Version that is not supported is 400.
        A-HTTP-13 | MUST | Send MCP-Protocol-Version with every request. | binds clients
        A-HTTP-14 | SHOULD | Without that header the session's version applies.
        A-HTTP-15 | PRAC | On `initialize` that header is ignored.
        A-SSE-1 | SHOULD | A stream begins with an event that has an id and empty data.
        A-SSE-2 | MAY | Close the connection after that, without ending the stream.
        A-SSE-3 | SHOULD | Send `retry` before closing the connection.
        A-SSE-4 | MUST | Reconnect after that time, by GET with Last-Event-ID. | binds clients
        A-SSE-5 | SHOULD | The stream eventually carries the response, and ends with it.
        A-SSE-6 | MAY | Messages before the response relate to its request.
        A-SSE-7 | SHOULD NOT | Treat a lost connection as a cancellation.
        A-SSE-8 | MAY | Event ids are unique across all streams.
        A-SSE-9 | SHOULD | Event ids identify their stream.
        A-SSE-10 | MAY | Resume after the event that Last-Event-ID names.
        A-SSE-11 | MUST NOT | Replay messages of another stream.
        A-SSE-12 | - | A resumed stream may carry responses.
        A-SSE-13 | MUST NOT | Send one message on two streams.
        A-SSE-14 | PRAC | Every connection begins with a new event id; otherwise clients lose their position.
        A-SSE-15 | PRAC | No event has empty data for clients of older versions, which would parse it.
        A-SSE-16 | PRAC | Events have no name, or the name `message`.
        A-SSE-17 | PRAC | A GET for a stream that has ended, is unknown, has expired or is another caller's is 405.
        A-SSE-18 | PRAC | So is a GET after a stream that ended with an error.
        A-SSE-19 | PRAC | A resumed GET does not fail for this server's reasons, and ends before the gateway's timeout.
        A-SSE-20 | PRAC | A stream may arrive all at once. | the gateway delivers every stream in this way
        A-GET-1 | MAY | Open a GET to listen. | binds clients
        A-GET-2 | MUST | Answer it with an SSE stream or with 405.
        A-GET-3 | MAY | Send messages on it that relate to no running request.
        A-GET-4 | MUST NOT | Send responses on it.
        A-GET-5 | MAY | Close it at any time.
        A-GET-6 | MAY | Keep several streams open.
        A-SESS-1 | MAY | The response to `initialize`, and no other, has the header MCP-Session-Id.
        A-SESS-2 | MUST | The id is visible ASCII, unique and hard to guess.
        A-SESS-3 | MUST | Send it with every request. | binds clients
        A-SESS-4 | SHOULD | A request without it is 400.
        A-SESS-5 | MUST | A request with a session that has ended or never existed is 404.
        A-SESS-6 | MUST | Initialize again after that. | binds clients
        A-SESS-7 | MAY | DELETE ends the session.
        A-SESS-8 | MUST | A session authenticates nobody, and belongs to the caller who opened it.
        A-SESS-9 | PRAC | What a server without sessions must do. | this server always has sessions
    """,
    "server/tools": """
        A-TOOL-1 | MUST | Declare `tools`, and `listChanged` only if clients are notified of changes.
        A-TOOL-2 | - | The list is paginated.
        A-TOOL-3 | MUST | An input schema has type object.
        A-TOOL-4 | SHOULD | Names are 1 to 128 of A-Z a-z 0-9 _ - . and unique.
        A-TOOL-5 | MUST | An unknown tool, or a malformed call, is a JSON-RPC error.
        A-TOOL-6 | SHOULD | Invalid arguments and failures of the tool are results with isError.
        A-TOOL-7 | MUST | With an output schema, a result has structured content that conforms, and the same as text.
        A-TOOL-8 | MUST | Validate inputs and check access.
        A-TOOL-9 | - | execution.taskSupport is forbidden, optional or required.
        A-TOOL-10 | - | Content is text, images, audio, resource links and embedded resources.
    """,
    "server/resources": """
        A-RES-1 | MUST | Declare `resources`, with `subscribe` and `listChanged` where supported.
        A-RES-2 | - | Resources and templates are listed; a read returns text or base64.
        A-RES-3 | SHOULD | An unknown resource is -32002, with its uri.
        A-RES-4 | - | Clients subscribe to a resource, and are notified when it changes.
        A-RES-5 | MUST | URIs are validated, and binary data is encoded.
    """,
    "server/prompts": """
        A-PRM-1 | MUST | Declare `prompts`; an invalid name or argument is -32602.
        A-PRM-2 | MUST | Arguments are validated; images and audio are base64 with their media type.
    """,
    "server/utilities/completion": """
        A-CPL-1 | MUST | Declare `completions`; arguments of prompts and templates are completed: 100 values at most.
        A-CPL-2 | SHOULD | Without the capability it is -32601; an invalid reference or argument is -32602.
    """,
    "basic/utilities/tasks": """
        A-TASK-1 | MUST | Declare `tasks` with the requests that can be task-augmented, and with `list` and `cancel`.
        A-TASK-2 | MUST | Ignore the field `task` of any other request.
        A-TASK-3 | MAY | Reject requests that are not task-augmented. | each tool has its own rule
        A-TASK-4 | SHOULD | `task` for a tool that forbids it is -32601.
        A-TASK-5 | MAY | A tool whose task support is optional can be called with and without `task`.
        A-TASK-6 | MUST | A call without `task` of a tool that requires it is -32601.
        A-TASK-7 | PRAC | taskSupport is considered only if tasks.requests.tools.call is declared.
        A-TASK-8 | SHOULD | Create no tasks for a client that declared none.
        A-TASK-9 | MUST | A task-augmented request is answered with CreateTaskResult, at once and without the result.
        A-TASK-10 | MUST | The server generates the task's id, which is unique.
        A-TASK-11 | MUST | A task begins as `working`.
        A-TASK-12 | MUST | Only the specified transitions occur; final states do not change.
        A-TASK-13 | MUST | Every task object has createdAt and lastUpdatedAt.
        A-TASK-14 | MUST | The actual ttl is returned, in milliseconds.
        A-TASK-15 | MAY | A requested ttl may be overridden; a task is deleted after its ttl.
        A-TASK-16 | MAY | pollInterval says how often to poll.
        A-TASK-17 | MAY | Return an immediate response for the model.
        A-TASK-18 | PRAC | A task can be read as soon as its creation is answered.
        A-TASK-19 | PRAC | An invalid call is answered directly, without a task.
        A-TASK-20 | - | tasks/get returns the task's fields at the top level of the result.
        A-TASK-21 | SHOULD NOT | Answer tasks/get with an SSE stream.
        A-TASK-22 | SHOULD NOT | Include the related task in the results of tasks/get, tasks/list and tasks/cancel.
        A-TASK-23 | MUST | tasks/result of a final task is exactly what the call would have returned.
        A-TASK-24 | MUST | tasks/result of a live task waits until it is final.
        A-TASK-25 | MUST | Its result names the related task.
        A-TASK-26 | MUST | params.taskId alone identifies the task; a related task in _meta is ignored.
        A-TASK-27 | PRAC | tasks/result can be repeated, and several can wait at once.
        A-TASK-28 | MAY | Leave the stream of tasks/result and poll with tasks/get meanwhile.
        A-TASK-29 | - | tasks/result of a cancelled task is an error, always the same.
        A-TASK-30 | - | Errors and results with isError are `failed`; statusMessage gives the reason.
        A-TASK-31 | MUST | tasks/list is paginated, and an invalid cursor is -32602.
        A-TASK-32 | MUST | Every task that tasks/get returns is listed.
        A-TASK-33 | SHOULD NOT | List tasks where callers cannot be identified.
        A-TASK-34 | MUST | Cancelling a final task is -32602.
        A-TASK-35 | MUST | A task is cancelled before tasks/cancel is answered, and its work is stopped.
        A-TASK-36 | MUST | It stays cancelled, however its work ends.
        A-TASK-37 | MUST | notifications/cancelled does not cancel tasks.
        A-TASK-38 | MAY | notifications/tasks/status has the whole task and no related task in _meta.
        A-TASK-39 | MUST | A task id that is unknown, malformed or expired is -32602, with a helpful message.
        A-TASK-40 | MUST | Progress uses the token of the call that created the task, and stops when the task is final.
        A-TASK-41 | MUST | Every message about a task names it as the related task.
        A-TASK-42 | MUST | A task can be accessed by its owner only.
        A-TASK-43 | MUST | Task ids cannot be guessed.
        A-TASK-44 | SHOULD | Limit the number of tasks and their ttl.
        A-INP-1 | SHOULD | A task is `input_required` while it has open input requests.
        A-INP-2 | MUST | Its requests to the client name it as the related task.
        A-INP-3 | SHOULD | Call tasks/result for a task that is `input_required`. | binds clients
        A-INP-4 | - | An input response is a POSTed JSON-RPC response, matched by the id of the request.
        A-INP-5 | SHOULD | A task's requests may be sent on any SSE stream, including the listening one.
        A-INP-6 | MUST | Each request is sent on one stream, and on another only if its client may not have it.
        A-INP-7 | PRAC | Clients that poll the task and listen, without tasks/result, are sent its requests too.
        A-INP-8 | PRAC | A JSON-RPC error is an input response.
        A-INP-9 | PRAC | Ids of requests cannot be guessed or reused; the first response counts, others change nothing.
        A-INP-10 | MUST | Only the caller to whom a request was sent can respond to it.
        A-INP-11 | PRAC | Every input request has a timeout.
        A-TREQ-1 | SHOULD | An input request is task-augmented only if the client declared that for its method.
        A-TREQ-2 | - | A task of the client is polled, fetched and cancelled by requests, each on an SSE stream.
        A-TREQ-3 | SHOULD | Its pollInterval is respected; its status notifications are only hints.
        A-TREQ-4 | - | It may begin with any status.
        A-TREQ-5 | MUST | Its result may name it as the related task; requests about it name none.
        A-TREQ-6 | PRAC | A client that does not support tasks/* after all is sent the plain request.
    """,
    "client/elicitation": """
        A-ELI-1 | MUST NOT | Use a mode that was not declared; `elicitation` without modes declares forms.
        A-ELI-2 | MUST | An elicitation has a message and a flat form, or a URL with an elicitationId.
        A-ELI-3 | MUST NOT | Request secrets in a form.
        A-ELI-4 | SHOULD | The content of a form is validated; a user may decline or cancel.
        A-ELI-5 | MUST | -32042 lists the URLs to open first, for clients that declared URL mode.
        A-ELI-6 | MUST | The completion of a URL elicitation is sent, by its id, to the client that was sent it.
        A-ELI-7 | MUST NOT | Put secrets into URLs. | the tool's author chooses the URL
        A-ELI-8 | MUST | Elicitations and their responses belong to a user, not to a session.
        A-ELI-9 | MUST | Reject a mode that was not declared. | binds clients
    """,
    "client/sampling": """
        A-SAM-1 | MUST NOT | Send tools in a sampling request unless the client declared sampling.tools.
        A-SAM-2 | MUST | Each tool use is followed by its tool result.
        A-SAM-3 | SHOULD | A user who forbids sampling is an error response, which is an outcome.
        A-SAM-4 | - | A request has maxTokens; a result has a role, content and a model.
    """,
    "client/roots": """
        A-ROOT-1 | - | roots/list is sent only to clients that declared `roots`.
        A-ROOT-2 | MUST | notifications/roots/list_changed is accepted with 202.
    """,
    "basic/utilities/progress": """
        A-PROG-1 | MUST | Progress is sent only for requests with a progress token, which keeps its type.
        A-PROG-2 | MUST | Progress increases, and stops with the response.
        A-PROG-3 | SHOULD | Progress notifications are rate-limited.
        A-PROG-4 | - | Progress of tasks is sent on open streams only, and some of it may be lost.
    """,
    "basic/utilities/cancellation": """
        A-CANC-1 | MUST | Cancel only requests that one sent. | binds clients; the server cancels no input request
        A-CANC-2 | SHOULD | A cancelled request gets no response; a malformed or late cancellation is ignored.
        A-CANC-3 | PRAC | Cancelling a tasks/result request ends the wait, not the task.
        A-CANC-4 | MUST | A cancellation that comes too late has no effect.
    """,
    "server/utilities/logging": """
        A-LOG-1 | MUST | Declare `logging` to send log messages.
        A-LOG-2 | SHOULD | logging/setLevel accepts the eight levels; a session keeps its level; others are -32602.
        A-LOG-3 | MUST NOT | Log secrets, or without a rate limit.
    """,
    "server/utilities/pagination": """
        A-PAG-1 | MUST | Cursors are opaque, and the last page has none.
        A-PAG-2 | SHOULD | An invalid cursor is -32602; a valid one keeps its position.
    """,
}

REQUIREMENTS = rows(SPECIFICATION, TABLE)

SECTIONS: Final = {
    **{"A-BASE": 9, "A-LIFE": 14, "A-HTTP": 15, "A-SSE": 20, "A-GET": 6, "A-SESS": 9, "A-TOOL": 10},
    **{"A-RES": 5, "A-PRM": 2, "A-CPL": 2, "A-TASK": 44, "A-PROG": 4, "A-CANC": 4, "A-LOG": 3, "A-PAG": 2},
    **{"A-INP": 11, "A-TREQ": 6, "A-ELI": 9, "A-SAM": 4, "A-ROOT": 2},
}
"""How many rows each section has."""
