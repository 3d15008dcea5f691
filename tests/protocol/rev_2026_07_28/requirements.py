"""The requirements of revision 2026-07-28 for a server with tools, prompts and resources; tasks are in `task_rows`."""

from typing import Final

from tests.protocol.rev_2026_07_28.task_rows import TASK_ROWS
from tests.protocol.rows import rows

SPECIFICATION = "https://modelcontextprotocol.io/specification/2026-07-28"

TABLE = {
    "basic": """
        B-BASE-1 | MUST | A request's id is a string or an integer; 0 and "" are ids too.
        B-BASE-2 | MUST | A response has the id of its request; an error has none only if the id could not be read.
        B-BASE-3 | MUST | Only clients send requests; the server sends none.
        B-BASE-4 | MUST NOT | POST responses; a server of both eras rejects them as one of the earlier revision does.
        B-BASE-5 | MUST NOT | Infer state from earlier requests.
        B-BASE-6 | SHOULD NOT | Require the same connection or process for related requests.
        B-BASE-7 | MUST | State that spans requests is identified in each of them.
        B-BASE-8 | - | Removed methods are unknown: sessions, ping, resources/subscribe, tasks/result and so on.
        B-BASE-9 | MUST | A schema is JSON Schema 2020-12, and its references to the network are not fetched.
        B-BASE-10 | - | Keys of _meta follow their grammar; those of trace contexts need no prefix.
        B-META-1 | MUST | Each request has its version and its client's capabilities in _meta. | binds clients
        B-META-2 | MUST | A request without them is -32602 with HTTP status 400.
        B-META-3 | SHOULD | A request names its client, too; one that does not is served nevertheless.
        B-META-4 | MAY | A request names the lowest level of the log messages it wants; an invalid level is -32602.
        B-META-5 | MUST NOT | Use capabilities that the request did not declare; if one is required, -32021 names it.
        B-META-6 | SHOULD | Every result names the server.
        B-META-7 | SHOULD NOT | Behave differently depending on the client's name.
        B-META-8 | MUST | Every notification of a subscription names the subscription.
        B-META-9 | - | `elicitation` without modes declares forms.
        B-ERR-1 | PRAC | Invalid JSON is -32700, an invalid message -32600, both with HTTP status 400.
        B-ERR-2 | MUST | An unknown method is -32601 with HTTP status 404.
        B-ERR-3 | MUST | Invalid params are -32602: with HTTP status 400 in the envelope, and 200 elsewhere.
        B-ERR-4 | PRAC | An internal error is -32603 with HTTP status 200.
        B-ERR-5 | MUST | A header that is missing, malformed or different is -32020 with HTTP status 400.
        B-ERR-6 | MUST | A missing capability is -32021 with HTTP status 400, and is named.
        B-ERR-7 | MUST | An unsupported version is -32022 with HTTP status 400, and the error lists the supported ones.
        B-ERR-8 | MUST NOT | Send the error codes that only earlier revisions defined.
        B-ERR-9 | SHOULD NOT | Send codes from -32000 to -32019.
        B-ERR-10 | MUST NOT | Send codes from -32020 to -32099 other than the three that are defined.
        B-RT-1 | MUST | Every result has a resultType.
        B-RT-2 | MUST | A result of an unknown type is invalid. | binds clients
    """,
    "basic/versioning": """
        B-VER-1 | MUST | Each request is validated by its own version; an unsupported one is -32022.
        B-VER-2 | - | That error lists the same versions as server/discover.
        B-VER-3 | PRAC | These are the versions that an envelope can name.
        B-VER-4 | SHOULD | Choose a version that both support and send the request again. | binds clients
        B-VER-5 | MUST | There is server/discover.
        B-VER-6 | MAY | Versions with `initialize` are served at the same URL.
        B-VER-7 | SHOULD | A rejection with status 400 has a JSON-RPC error, by which clients distinguish the eras.
        B-VER-8 | SHOULD | List the versions in the error for `initialize`. | the server supports `initialize`
        B-DUAL-1 | MUST | A request whose envelope and headers name this version is served without a session.
        B-DUAL-2 | PRAC | GET and DELETE belong to the versions with `initialize`.
        B-DUAL-3 | PRAC | So do responses.
        B-DUAL-4 | MUST | So does `initialize` without an envelope; with a header that names this version it is -32020.
        B-DUAL-5 | MUST | With an envelope `initialize` is an unknown method, as are all removed ones.
        B-DUAL-6 | MUST | A request without an envelope is of an earlier version, unless its header names a newer one.
        B-DUAL-7 | MUST | With a header of this version but no envelope it is -32602, which names what is missing.
        B-DUAL-8 | MUST | An incomplete or malformed envelope is -32602; the request is not of the earlier versions.
        B-DUAL-9 | MUST | Envelope and header that name two versions, or a missing header, are -32020.
        B-DUAL-10 | MUST | If both name a version that no envelope can have, it is -32022.
        B-DUAL-11 | PRAC | A notification with a header of this version is accepted and ignored.
        B-DUAL-12 | PRAC | Batches are -32600 in both eras.
        B-DUAL-13 | PRAC | A task has the same owner in both eras, and is rendered in the revision of the request.
        B-DUAL-14 | - | A session of 2025-11-25 declares the extension under `extensions` only.
        B-DUAL-15 | MUST | `capabilities.tasks` of the earlier revision does not declare the extension in an envelope.
    """,
    "basic/transports/streamable-http": """
        B-HTTP-1 | MUST | One path serves POST.
        B-HTTP-2 | MUST | An Origin that is not allowed is rejected with 403.
        B-HTTP-3 | SHOULD | Authenticate all connections. | done by the authorizer: tests/functions/test_authorize.py
        B-HTTP-4 | MUST | A POST accepts both JSON and SSE; any other may be rejected with 406.
        B-HTTP-5 | MUST | A notification is accepted with 202 and no body.
        B-HTTP-6 | MUST | A request is answered with one JSON object or an SSE stream.
        B-HTTP-7 | MAY | On a stream, notifications about the request precede its response.
        B-HTTP-8 | MUST NOT | Send requests on a stream.
        B-HTTP-9 | SHOULD | The response ends the stream.
        B-HTTP-10 | SHOULD | A stream's headers ask proxies not to buffer it.
        B-HTTP-11 | - | Streams are not resumable: events have no ids, and Last-Event-ID is ignored.
        B-HTTP-12 | MUST | Closing a stream cancels its request. | the gateway does not report it to a function
        B-HTTP-13 | SHOULD | A session id is ignored, and none is assigned.
        B-HTTP-14 | MUST | A method that is unknown, or whose capability is not declared, is 404 with -32601.
        B-HTTP-15 | PRAC | Errors with an HTTP status of their own are found before a stream begins.
        B-HTTP-16 | PRAC | Errors that methods return have HTTP status 200: some clients lose the others.
        B-HDR-1 | MUST | MCP-Protocol-Version repeats the version; missing or different it is -32020.
        B-HDR-2 | MUST | Mcp-Method repeats the method; case matters.
        B-HDR-3 | MUST | Mcp-Name repeats the name of a tool or prompt, and the URI of a resource.
        B-HDR-4 | MUST | Mcp-Name repeats the id of a task. | binds clients
        B-HDR-5 | MUST | An Mcp-Name with another task's id is -32020.
        B-HDR-6 | PRAC | A missing Mcp-Name is accepted for tasks/*: FastMCP never sends it.
        B-HDR-7 | MUST | Header names are case-insensitive, values are not; whitespace is trimmed, repeats are invalid.
        B-HDR-8 | MUST | A value that a header cannot hold is sent as =?base64?...?=, and decoded before comparing.
        B-HDR-9 | MAY | Arguments may be annotated as headers, within the limits of clients.
        B-HDR-10 | MUST | Mcp-Param-... repeats such an argument, and is missing only if the argument is.
        B-HDR-11 | SHOULD | Fetch the list again after -32020. | binds clients
    """,
    "server/discover": """
        B-DISC-1 | MUST | server/discover has no params but the envelope.
        B-DISC-2 | MUST | Its result has the versions, the capabilities, and for how long and for whom it may be cached.
        B-DISC-3 | MUST NOT | Advertise the tasks of the earlier revision; the extension has no settings.
        B-DISC-4 | PRAC | It is fast, and unauthenticated only on purpose. | the authorizer decides who may call
        B-DISC-5 | PRAC | Its cacheScope is public only if it is the same for all callers.
    """,
    "server/utilities/caching": """
        B-CACHE-1 | MUST | A cacheable result has ttlMs and cacheScope.
        B-CACHE-2 | MUST NOT | Put them on results that are `input_required`.
        B-CACHE-3 | MUST | All pages of a list have the same cacheScope.
        B-CACHE-4 | MUST | A result that depends on the caller is private.
        B-CACHE-5 | MUST NOT | Use a result that was cached for another caller. | binds clients
    """,
    "server/tools": """
        B-TOOL-1 | MUST | Declare `tools`; the list does not depend on earlier requests.
        B-TOOL-2 | SHOULD | The order of the list is stable.
        B-TOOL-3 | - | Tools have no field `execution`.
        B-TOOL-4 | MUST | Schemas are objects and may use all of JSON Schema; structured content conforms to them.
        B-TOOL-5 | MUST | An unknown tool is -32602; invalid arguments and failures are results with isError.
        B-TOOL-6 | MUST | Validate inputs and check access.
        B-TOOL-7 | MUST | Ignore the field `task`.
        B-TOOL-8 | - | A task id in the arguments gives access to own tasks only; of an expired task it is isError.
    """,
    "server/resources": """
        B-RSC-1 | MUST | An unknown resource is -32602, never a result without contents.
        B-RSC-2 | MUST | URIs are validated, path traversal is rejected, and binary data is encoded.
        B-RSC-3 | - | `subscribe` declares that clients can listen for changes.
    """,
    "server/prompts": """
        B-PRM-1 | SHOULD | An invalid name or argument is -32602.
    """,
    "server/utilities/completion": """
        B-CPL-1 | MUST | Declare `completions`; 100 values at most; -32602 for what cannot be completed.
    """,
    "server/utilities/pagination": """
        B-PAG-1 | SHOULD | An invalid cursor is -32602; a list ends only where nextCursor is missing.
    """,
    "basic/patterns/mrtr": """
        B-MRTR-1 | MUST | Input is requested in the result of a request, and in no other way.
        B-MRTR-2 | MUST NOT | Request input in results of anything but tools/call, prompts/get and resources/read.
        B-MRTR-3 | MUST | The result has inputRequests, each with a unique key, or requestState, or both.
        B-MRTR-4 | MUST NOT | Request input whose capability the request did not declare.
        B-MRTR-5 | MUST | Repeat the call with input responses, the same state and another id. | binds clients
        B-MRTR-6 | MUST | The state may come back forged, and is then rejected.
        B-MRTR-7 | SHOULD | It is bound to its caller and its call, and expires.
        B-MRTR-8 | SHOULD | Missing responses are requested again, unknown ones ignored; invalid ones are errors.
        B-MRTR-9 | MUST NOT | Rely on the client to call again.
        B-MRTR-10 | - | An input response is the result object alone.
    """,
    "client/elicitation": """
        B-ELI-1 | MUST | Forms are flat; a URL elicitation has no id, and its outcome is the client's response.
        B-ELI-2 | MUST | A user may decline or cancel; the content of a form is validated.
    """,
    "client/sampling": """
        B-SAM-1 | MUST | Tools are sent only if sampling.tools is declared, and each tool use has its result.
    """,
    "client/roots": """
        B-ROOT-1 | - | Roots are requested like any other input.
    """,
    "basic/patterns/subscriptions": """
        B-SUB-1 | MUST | The response is a stream; the first event acknowledges what is honoured and omits the rest.
        B-SUB-2 | MUST NOT | Send notifications that were not requested, or about other requests.
        B-SUB-3 | MUST | Every event names the subscription, which is the request's id with its type.
        B-SUB-4 | SHOULD | The server ends it with a result.
        B-SUB-5 | - | Clients end it by disconnecting; several may be open. | functions do not learn of it
        B-SUB-6 | PRAC | What cannot be subscribed to is not advertised.
        B-SUB-7 | SHOULD | Comments keep a stream alive. | a stream arrives all at once, and ends before any timeout
    """,
    "basic/patterns/progress": """
        B-PROG-1 | MUST | Progress has the request's token, is sent on its stream, increases, and is not sent for tasks.
    """,
    "basic/patterns/cancellation": """
        B-CANC-1 | - | Clients cancel by disconnecting. | the gateway does not report it to a function
        B-CANC-2 | MUST NOT | Send notifications/cancelled.
    """,
    "server/utilities/logging": """
        B-LOG-1 | MUST NOT | Send log messages that the request did not opt into, or below its level.
        B-LOG-2 | MUST | Declare `logging`.
    """,
    "basic/authorization": """
        B-AUTH-1 | MUST | Tokens are validated, and the challenge says where to get one. | done by the authorizer
        B-AUTH-2 | SHOULD | Name all missing scopes at once.
        B-AUTH-3 | MUST | Scopes may include others. | each scope is needed by its own name
        B-AUTH-4 | SHOULD NOT | Request offline_access. | no scopes are requested
        B-AUTH-5 | MUST | Validate issuers, and send credentials only to theirs. | binds clients
        B-AUTH-6 | MUST | The caller is the one who authenticated this request.
    """,
}

REQUIREMENTS = rows(SPECIFICATION, TABLE) | TASK_ROWS

SECTIONS: Final = {
    **{"B-BASE": 10, "B-META": 9, "B-ERR": 10, "B-RT": 2, "B-VER": 8, "B-DUAL": 15, "B-HTTP": 16, "B-HDR": 11},
    **{"B-DISC": 5, "B-CACHE": 5, "B-TOOL": 8, "B-RSC": 3, "B-PRM": 1, "B-CPL": 1, "B-PAG": 1, "B-MRTR": 10},
    **{"B-ELI": 2, "B-SAM": 1, "B-ROOT": 1, "B-SUB": 7, "B-PROG": 1, "B-CANC": 2, "B-LOG": 2, "B-AUTH": 6},
    **{"B-TASK": 32},
}
"""How many rows each section has."""

ABOUT_OTHERS: Final = dict.fromkeys(["B-VER-6", "B-DUAL-13", "B-DUAL-14"], "rev_2025_11_25")
"""Rows about another revision, which have their tests only where that is spoken too."""
