"""What revision 2026-07-28 asks of a server with tools, prompts and resources; its tasks are in `task_rows`."""

from typing import Final

from tests.protocol.rev_2026_07_28.task_rows import TASK_ROWS
from tests.protocol.rows import rows

SPECIFICATION = "https://modelcontextprotocol.io/specification/2026-07-28"

TABLE = {
    "basic": """
        B-BASE-1 | MUST | A request's id is a string or an integer, and falsy ones count.
        B-BASE-2 | MUST | An answer carries the id of its request, an error too unless none could be read.
        B-BASE-3 | MUST | Only clients ask: the server never sends a request.
        B-BASE-4 | MUST NOT | POST responses; a server that also speaks earlier versions leaves them to those.
        B-BASE-5 | MUST NOT | Infer anything from earlier requests.
        B-BASE-6 | SHOULD NOT | Need the same connection or process for what belongs together.
        B-BASE-7 | MUST | What lasts from request to request is named in each.
        B-BASE-8 | - | What was removed is unknown: sessions, pings, subscriptions by method, tasks/result and so on.
        B-BASE-9 | MUST | A schema is JSON Schema 2020-12, and what it refers to on the network is not fetched.
        B-BASE-10 | - | Keys of _meta keep to their grammar; those of trace contexts need no prefix.
        B-META-1 | MUST | Each request names its version and its client's capabilities in _meta. | binds clients
        B-META-2 | MUST | One that does not is -32602 with HTTP status 400.
        B-META-3 | SHOULD | It names its client, too; without that it is served all the same.
        B-META-4 | MAY | It says from which level on it wants log messages; another level is -32602.
        B-META-5 | MUST NOT | Use what was not declared with this request; where it is needed, -32021 names it.
        B-META-6 | SHOULD | Every result names the server.
        B-META-7 | SHOULD NOT | Behave differently because of the client's name.
        B-META-8 | MUST | What a listening client is told names its subscription.
        B-META-9 | - | To declare `elicitation` alone is to declare forms.
        B-ERR-1 | PRAC | What is no JSON is -32700, what is no message -32600, both with HTTP status 400.
        B-ERR-2 | MUST | An unknown method is -32601 with HTTP status 404.
        B-ERR-3 | MUST | Wrong params are -32602: with HTTP status 400 in the envelope, and 200 elsewhere.
        B-ERR-4 | PRAC | What is nobody's fault but ours is -32603 with HTTP status 200.
        B-ERR-5 | MUST | A header that is missing, malformed or different is -32020 with HTTP status 400.
        B-ERR-6 | MUST | A missing capability is -32021 with HTTP status 400, and is named.
        B-ERR-7 | MUST | A version that is not spoken is -32022 with HTTP status 400, and with those that are.
        B-ERR-8 | MUST NOT | Send the codes that earlier revisions had for themselves.
        B-ERR-9 | SHOULD NOT | Send codes from -32000 to -32019.
        B-ERR-10 | MUST NOT | Send codes from -32020 to -32099 but the three that are defined.
        B-RT-1 | MUST | Every result says of which type it is.
        B-RT-2 | MUST | A type that is not known is an invalid answer. | binds clients
    """,
    "basic/versioning": """
        B-VER-1 | MUST | Each request is judged by its own version; one that is not spoken is -32022.
        B-VER-2 | - | The versions in that error are those of server/discover.
        B-VER-3 | PRAC | They are the versions that can be named in an envelope.
        B-VER-4 | SHOULD | Choose a version that both speak and ask again. | binds clients
        B-VER-5 | MUST | There is server/discover.
        B-VER-6 | MAY | Versions with a handshake are spoken at the same address.
        B-VER-7 | SHOULD | A rejection with status 400 says in JSON-RPC why: clients tell the eras apart by it.
        B-VER-8 | SHOULD | Name the versions to who shakes hands. | the server speaks such versions, too, and shakes
        B-DUAL-1 | MUST | A request whose envelope and headers name this version is served without a session.
        B-DUAL-2 | PRAC | GET and DELETE belong to the versions with a handshake.
        B-DUAL-3 | PRAC | So do responses.
        B-DUAL-4 | MUST | So does `initialize` without an envelope, unless a header names this version: -32020.
        B-DUAL-5 | MUST | With an envelope it is an unknown method, as are all that were removed.
        B-DUAL-6 | MUST | A request without an envelope belongs there unless a header names a version of no handshake.
        B-DUAL-7 | MUST | With a header of this version but no envelope it is -32602 and told what it lacks.
        B-DUAL-8 | MUST | An envelope that is incomplete or malformed is -32602, and no request of earlier versions.
        B-DUAL-9 | MUST | Envelope and header that name two versions, or no header, are -32020.
        B-DUAL-10 | MUST | Where both name a version that is spoken by no envelope it is -32022.
        B-DUAL-11 | PRAC | A notification with a header of this version is taken and dropped.
        B-DUAL-12 | PRAC | Batches are -32600 in both eras.
        B-DUAL-13 | PRAC | A task is its caller's in both eras, and shown in the words of who asks.
        B-DUAL-14 | - | A handshake of 2025-11-25 declares the extension under `extensions`, and by nothing else.
        B-DUAL-15 | MUST | Those of the earlier one cannot be declared in an envelope.
    """,
    "basic/transports/streamable-http": """
        B-HTTP-1 | MUST | One path takes POST.
        B-HTTP-2 | MUST | A foreign Origin is refused with 403.
        B-HTTP-3 | SHOULD | Authenticate all connections. | done before the door; see tests/functions/test_authorize.py
        B-HTTP-4 | MUST | A POST accepts both JSON and streams; one that does not may be refused with 406.
        B-HTTP-5 | MUST | A notification is accepted with 202 and no body.
        B-HTTP-6 | MUST | A request is answered with one JSON object or a stream.
        B-HTTP-7 | MAY | On a stream, what concerns the request comes before its answer.
        B-HTTP-8 | MUST NOT | Send requests on a stream.
        B-HTTP-9 | SHOULD | The answer ends the stream.
        B-HTTP-10 | SHOULD | A stream asks proxies not to buffer it.
        B-HTTP-11 | - | Nothing is resumed: no event ids, and Last-Event-ID means nothing.
        B-HTTP-12 | MUST | Closing a stream cancels its request. | the gateway does not tell a function who left
        B-HTTP-13 | SHOULD | A session id means nothing, and none is given.
        B-HTTP-14 | MUST | A method that is unknown, or whose capability is not declared, is 404 with -32601.
        B-HTTP-15 | PRAC | What is an error is known before a stream begins.
        B-HTTP-16 | PRAC | Errors that methods answer have HTTP status 200: some clients lose the others.
        B-HDR-1 | MUST | MCP-Protocol-Version repeats the version; missing or different it is -32020.
        B-HDR-2 | MUST | Mcp-Method repeats the method, letter by letter.
        B-HDR-3 | MUST | Mcp-Name repeats the name of a tool or prompt, and the address of a resource.
        B-HDR-4 | MUST | It repeats the id of a task. | binds clients
        B-HDR-5 | MUST | Where it names another task it is -32020.
        B-HDR-6 | PRAC | Where it is missing with a task's id that is none: FastMCP never sends it.
        B-HDR-7 | MUST | Names of headers have no case, values do; spaces around them and repeats mean nothing good.
        B-HDR-8 | MUST | What a header cannot hold is base64 between marks, and is decoded before it is compared.
        B-HDR-9 | MAY | Arguments may be marked as headers, where clients can follow.
        B-HDR-10 | MUST | Mcp-Param-... repeats such an argument, and is missing only where that is.
        B-HDR-11 | SHOULD | Ask for the list again after -32020. | binds clients
    """,
    "server/discover": """
        B-DISC-1 | MUST | server/discover takes nothing but the envelope.
        B-DISC-2 | MUST | It answers versions, capabilities, and how long and for whom that may be kept.
        B-DISC-3 | MUST NOT | Advertise the tasks of the earlier revision; the extension has no settings.
        B-DISC-4 | PRAC | It is fast, and open only if that is meant. | who may call is settled before the door
        B-DISC-5 | PRAC | It is public only if it is the same for everybody.
    """,
    "server/utilities/caching": """
        B-CACHE-1 | MUST | What can be kept says how long and by whom.
        B-CACHE-2 | MUST NOT | Questions say so.
        B-CACHE-3 | MUST | All pages of a list are for the same.
        B-CACHE-4 | MUST | What differs by caller is private.
        B-CACHE-5 | MUST NOT | Use for one what was kept of another. | binds clients
    """,
    "server/tools": """
        B-TOOL-1 | MUST | Declare `tools`, and list the same ones whatever was asked before.
        B-TOOL-2 | SHOULD | The order of the list does not change.
        B-TOOL-3 | - | Tools have no member `execution`.
        B-TOOL-4 | MUST | Schemas are objects, may use all of JSON Schema, and structured content keeps to them.
        B-TOOL-5 | MUST | An unknown tool is -32602; wrong arguments and failures are results with isError.
        B-TOOL-6 | MUST | Check inputs and who may call.
        B-TOOL-7 | MUST | Ignore the member `task`.
        B-TOOL-8 | - | An id in the arguments gives nobody what is not theirs, and is isError once it is gone.
    """,
    "server/resources": """
        B-RSC-1 | MUST | An unknown resource is -32602, and never one without contents.
        B-RSC-2 | MUST | Addresses are checked, lead nowhere else, and bytes are encoded.
        B-RSC-3 | - | `subscribe` says that changes can be listened to.
    """,
    "server/prompts": """
        B-PRM-1 | SHOULD | A wrong name or argument is -32602.
    """,
    "server/utilities/completion": """
        B-CPL-1 | MUST | Declare `completions`; 100 values at most; -32602 for what cannot be completed.
    """,
    "server/utilities/pagination": """
        B-PAG-1 | SHOULD | A bad cursor is -32602; only a cursor that is missing ends a list.
    """,
    "basic/patterns/mrtr": """
        B-MRTR-1 | MUST | A client is asked in the answer to its request, and in no other way.
        B-MRTR-2 | MUST NOT | Ask in answers to anything but tools/call, prompts/get and resources/read.
        B-MRTR-3 | MUST | There are input requests, each with a key of its own, or there is a state to bring back.
        B-MRTR-4 | MUST NOT | Ask what the request did not declare.
        B-MRTR-5 | MUST | Call again as before, with answers, the same state and another id. | binds clients
        B-MRTR-6 | MUST | The state may come back forged, and is refused then.
        B-MRTR-7 | SHOULD | It is for its caller, for its call, and for a short time.
        B-MRTR-8 | SHOULD | What was not answered is asked again; what nobody asked is ignored; nonsense is an error.
        B-MRTR-9 | MUST NOT | Count on being called again.
        B-MRTR-10 | - | An answer is the bare result of what was asked.
    """,
    "client/elicitation": """
        B-ELI-1 | MUST | Forms are flat; a URL is asked without an id, and its outcome is what the client says.
        B-ELI-2 | MUST | A user may decline, or go away; what they fill in is checked.
    """,
    "client/sampling": """
        B-SAM-1 | MUST | A model is given tools only where that is declared, and each use of one has its result.
    """,
    "client/roots": """
        B-ROOT-1 | - | Folders are asked for as all else is.
    """,
    "basic/patterns/subscriptions": """
        B-SUB-1 | MUST | The answer is a stream that begins with what is honoured, and leaves out what is not.
        B-SUB-2 | MUST NOT | Tell what was not asked for, or of requests.
        B-SUB-3 | MUST | All of it names the subscription, which is the request's id with its type.
        B-SUB-4 | SHOULD | The server ends it with a result.
        B-SUB-5 | - | Clients end it by leaving, and may have several. | the gateway does not tell a function who left
        B-SUB-6 | PRAC | What cannot be listened to is not advertised.
        B-SUB-7 | SHOULD | Comments keep a stream alive. | a stream arrives in one piece, and ends before it need be
    """,
    "basic/patterns/progress": """
        B-PROG-1 | MUST | Progress is told under the request's token, on its own stream, rising, and never of tasks.
    """,
    "basic/patterns/cancellation": """
        B-CANC-1 | - | Clients cancel by leaving. | the gateway does not tell a function who left
        B-CANC-2 | MUST NOT | Send notifications/cancelled.
    """,
    "server/utilities/logging": """
        B-LOG-1 | MUST NOT | Send log messages that the request did not ask for, or below its level.
        B-LOG-2 | MUST | Declare `logging`.
    """,
    "basic/authorization": """
        B-AUTH-1 | MUST | Tokens are checked, and where to get them is told. | done before the door; see tests/functions
        B-AUTH-2 | SHOULD | Name all scopes at once that are missing. | any token of this server's may call all of it
        B-AUTH-3 | MUST | Scopes may include others. | any token of this server's may call all of it
        B-AUTH-4 | SHOULD NOT | Ask for offline_access. | no scopes are asked for
        B-AUTH-5 | MUST | Check issuers, and keep credentials to theirs. | binds clients
        B-AUTH-6 | MUST | Who calls is who sent this request.
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
