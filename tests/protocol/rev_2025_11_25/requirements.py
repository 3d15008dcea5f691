"""What revision 2025-11-25 asks of a server with tools, tasks, prompts and resources, and with questions."""

from typing import Final

from tests.protocol.rows import rows

SPECIFICATION = "https://modelcontextprotocol.io/specification/2025-11-25"

TABLE = {
    "basic": """
        A-BASE-1 | MUST | One JSON-RPC 2.0 message in UTF-8 a body; no batches.
        A-BASE-2 | MUST | A request's id is a string or an integer, and falsy ones count.
        A-BASE-3 | MUST | A response carries the id of its request, type included, and either a result or an error.
        A-BASE-4 | MUST | An error has a code and a message; its id is left out only where none could be read.
        A-BASE-5 | MUST | A notification gets no answer.
        A-BASE-6 | MUST | Keys of _meta keep to their grammar, and ours stay out of the reserved names.
        A-BASE-7 | PRAC | Members of params and keys of _meta that nobody knows are ignored.
        A-BASE-8 | MUST | A schema that names no dialect is JSON Schema 2020-12.
        A-BASE-9 | PRAC | A method that is unknown or was not agreed on is -32601, with HTTP status 200.
    """,
    "basic/lifecycle": """
        A-LIFE-1 | MUST | `initialize` comes first. | binds clients
        A-LIFE-2 | MUST | It is answered with version, capabilities and serverInfo.
        A-LIFE-3 | MUST | A version that is spoken is echoed, any other is answered with the newest.
        A-LIFE-4 | MAY | Refuse the version instead. | not done: there is always a version to offer
        A-LIFE-5 | SHOULD | Leave when the version offered cannot be spoken. | binds clients
        A-LIFE-6 | MUST | `notifications/initialized` follows, and is accepted.
        A-LIFE-7 | SHOULD NOT | Ask the client anything before that.
        A-LIFE-8 | SHOULD NOT | Clients send nothing else before that; a server that keeps nothing lets them.
        A-LIFE-9 | MUST | Use only what was agreed on.
        A-LIFE-10 | MUST | Declare the capabilities whose features are offered.
        A-LIFE-11 | SHOULD | Time requests out, then cancel them. | questions: see A-INP-11; that they end is not told
        A-LIFE-12 | - | Shutting down is closing the connections. | the connections are the gateway's
        A-LIFE-13 | MUST | A ping is answered at once with an empty result.
        A-LIFE-14 | PRAC | Whatever was agreed on is known to every instance of the server.
    """,
    "basic/transports": """
        A-HTTP-1 | MUST | One path takes POST and GET.
        A-HTTP-2 | MUST | A foreign Origin is refused with 403, whatever the method.
        A-HTTP-3 | SHOULD | Authenticate all connections. | done before the door; see tests/functions/test_authorize.py
        A-HTTP-4 | MUST | A POST accepts both JSON and streams; a server may refuse one that does not with 406.
        A-HTTP-5 | MUST | A body is a request, a notification or a response.
        A-HTTP-6 | MUST | An accepted notification or response is answered with 202 and no body.
        A-HTTP-7 | MUST | One that is not accepted is answered with an HTTP error.
        A-HTTP-8 | MUST | A request is answered with one JSON object or a stream.
        A-HTTP-9 | MUST | Support both kinds of answer. | binds clients
        A-HTTP-10 | PRAC | JSON-RPC errors that answer well-formed requests have HTTP status 200.
        A-HTTP-11 | PRAC | Bad JSON is 400/-32700, no message 400/-32600, other content 415, other methods 405.
        A-HTTP-12 | MUST | MCP-Protocol-Version with a version that is not spoken is 400.
        A-HTTP-13 | MUST | Send MCP-Protocol-Version with every request. | binds clients
        A-HTTP-14 | SHOULD | Without that header the version of the session counts.
        A-HTTP-15 | PRAC | On `initialize` that header decides nothing.
        A-SSE-1 | SHOULD | A stream begins with an event that has an id and no data.
        A-SSE-2 | MAY | Close the connection after that, without ending the stream.
        A-SSE-3 | SHOULD | Say before closing when to come back.
        A-SSE-4 | MUST | Come back then, by GET with Last-Event-ID. | binds clients
        A-SSE-5 | SHOULD | The stream brings the response in the end, and ends with it.
        A-SSE-6 | MAY | Messages before the response concern its request.
        A-SSE-7 | SHOULD NOT | Take a lost connection for a cancellation.
        A-SSE-8 | MAY | Event ids are unique over all streams.
        A-SSE-9 | SHOULD | Event ids tell their stream.
        A-SSE-10 | MAY | Resume after the event that Last-Event-ID names.
        A-SSE-11 | MUST NOT | Send what belongs to another stream.
        A-SSE-12 | - | A resumed GET may carry responses.
        A-SSE-13 | MUST NOT | Send one message on two streams.
        A-SSE-14 | PRAC | Every connection begins with a fresh id, or clients lose their place.
        A-SSE-15 | PRAC | No empty data for clients of older versions, who would parse it.
        A-SSE-16 | PRAC | Events have no name, or are named `message`.
        A-SSE-17 | PRAC | A GET for a stream that is over, unknown, expired or foreign is 405.
        A-SSE-18 | PRAC | So is one after a stream that ended in an error.
        A-SSE-19 | PRAC | A resumed GET never fails for reasons of ours, and ends before the gateway would end it.
        A-SSE-20 | PRAC | A stream may arrive in one piece. | nothing here ever arrives otherwise
        A-GET-1 | MAY | Open a GET to listen. | binds clients
        A-GET-2 | MUST | Answer it with a stream or with 405.
        A-GET-3 | MAY | Send on it what concerns no running request.
        A-GET-4 | MUST NOT | Send responses on it.
        A-GET-5 | MAY | Close it at any time.
        A-GET-6 | MAY | Hold several streams.
        A-SESS-1 | MAY | The answer to `initialize`, and no other, carries MCP-Session-Id.
        A-SESS-2 | MUST | It is visible ASCII, unique and hard to guess.
        A-SESS-3 | MUST | Send it with every request. | binds clients
        A-SESS-4 | SHOULD | A request without it is 400.
        A-SESS-5 | MUST | One with a session that ended or never was is 404.
        A-SESS-6 | MUST | Begin anew after that. | binds clients
        A-SESS-7 | MAY | DELETE ends the session.
        A-SESS-8 | MUST | A session proves nothing, and is nobody's but its owner's.
        A-SESS-9 | PRAC | What to mind when running without sessions. | there are always sessions
    """,
    "server/tools": """
        A-TOOL-1 | MUST | Declare `tools`, and changes of the list only if they are told.
        A-TOOL-2 | - | The list comes in pages.
        A-TOOL-3 | MUST | An input schema is of type object.
        A-TOOL-4 | SHOULD | Names are 1 to 128 of A-Z a-z 0-9 _ - . and unique.
        A-TOOL-5 | MUST | An unknown tool, or a malformed call, is a JSON-RPC error.
        A-TOOL-6 | SHOULD | Wrong arguments and failures of the tool are results with isError.
        A-TOOL-7 | MUST | With an output schema there is structured content that conforms, and the same as text.
        A-TOOL-8 | MUST | Check inputs and who may call.
        A-TOOL-9 | - | execution.taskSupport is forbidden, optional or required.
        A-TOOL-10 | - | Contents may be text, images, audio, links and resources.
    """,
    "server/resources": """
        A-RES-1 | MUST | Declare `resources`, and what is told of their changes.
        A-RES-2 | - | Resources and templates are listed; reading gives text, or base64.
        A-RES-3 | SHOULD | An unknown resource is -32002, with its uri.
        A-RES-4 | - | Clients subscribe to a resource, and hear that it changed.
        A-RES-5 | MUST | Addresses are checked, and bytes are encoded.
    """,
    "server/prompts": """
        A-PRM-1 | MUST | Declare `prompts`; a wrong name or argument is -32602.
        A-PRM-2 | MUST | Arguments are checked; pictures and sound are base64 and say what they are.
    """,
    "server/utilities/completion": """
        A-CPL-1 | MUST | Declare `completions`; prompts and templates are completed, with 100 values at most.
        A-CPL-2 | SHOULD | Without it -32601; a bad reference or argument is -32602.
    """,
    "basic/utilities/tasks": """
        A-TASK-1 | MUST | Declare `tasks` with what can be a task, and whether tasks can be listed and cancelled.
        A-TASK-2 | MUST | Ignore the member `task` of any other request.
        A-TASK-3 | MAY | Refuse requests that are no tasks. | the rule for each tool is the finer one
        A-TASK-4 | SHOULD | `task` for a tool that forbids it is -32601.
        A-TASK-5 | MAY | A tool that leaves it open works both ways.
        A-TASK-6 | MUST | A call without `task` of a tool that requires it is -32601.
        A-TASK-7 | PRAC | taskSupport means something only where tools/call is declared.
        A-TASK-8 | SHOULD | Create no tasks where none were declared.
        A-TASK-9 | MUST | A task is answered with CreateTaskResult, at once and without the result.
        A-TASK-10 | MUST | Its id is the server's, and unique.
        A-TASK-11 | MUST | It begins as `working`.
        A-TASK-12 | MUST | It moves as the table of states allows; final states stay.
        A-TASK-13 | MUST | Wherever it is shown there are createdAt and lastUpdatedAt.
        A-TASK-14 | MUST | Its real ttl is shown, in milliseconds.
        A-TASK-15 | MAY | A ttl that was asked for may be overridden, and when it has passed the task is gone.
        A-TASK-16 | MAY | pollInterval says how often to look.
        A-TASK-17 | MAY | Give the model something to say meanwhile.
        A-TASK-18 | PRAC | A task can be looked at as soon as its creation is answered.
        A-TASK-19 | PRAC | What is wrong with the call itself is answered directly, without a task.
        A-TASK-20 | - | tasks/get shows the task flat.
        A-TASK-21 | SHOULD NOT | Answer tasks/get with a stream.
        A-TASK-22 | SHOULD NOT | Name the related task in answers to get, list and cancel.
        A-TASK-23 | MUST | tasks/result of a final task is exactly what the call would have been answered.
        A-TASK-24 | MUST | tasks/result of a live task waits until it is final.
        A-TASK-25 | MUST | Its result names the related task.
        A-TASK-26 | MUST | params.taskId is the only truth about which task is meant.
        A-TASK-27 | PRAC | tasks/result can be repeated, and several can wait at once.
        A-TASK-28 | MAY | Leave a stream and look with tasks/get meanwhile.
        A-TASK-29 | - | tasks/result of a cancelled task is one error, always the same.
        A-TASK-30 | - | `failed` are errors and results with isError; statusMessage says why.
        A-TASK-31 | MUST | tasks/list comes in pages, and a bad cursor is -32602.
        A-TASK-32 | MUST | Whatever can be looked at is listed.
        A-TASK-33 | SHOULD NOT | List tasks of callers who cannot be told apart.
        A-TASK-34 | MUST | Cancelling a final task is -32602.
        A-TASK-35 | MUST | A task is cancelled before tasks/cancel is answered, and its work is stopped.
        A-TASK-36 | MUST | It stays so, however its work ends.
        A-TASK-37 | MUST | notifications/cancelled does not cancel tasks.
        A-TASK-38 | MAY | notifications/tasks/status shows the whole task and names no related one.
        A-TASK-39 | MUST | A task id that is unknown, malformed or expired is -32602, with words that help.
        A-TASK-40 | MUST | Progress keeps the token of the call that made the task, and stops when the task is final.
        A-TASK-41 | MUST | What concerns a task names it as the related one.
        A-TASK-42 | MUST | Tasks are their caller's alone.
        A-TASK-43 | MUST | Ids cannot be guessed.
        A-TASK-44 | SHOULD | Bound the number of tasks and their ttl.
        A-INP-1 | SHOULD | A task that needs answers is `input_required` until all of them are in.
        A-INP-2 | MUST | What it asks names it as the related task.
        A-INP-3 | SHOULD | Ask for the result of a task that needs answers. | binds clients
        A-INP-4 | - | The answer is a POSTed response, found by the id of what was asked.
        A-INP-5 | SHOULD | What a task asks may come on any stream, the one to listen on included.
        A-INP-6 | MUST | Each question is asked on one stream, and repeated on no other.
        A-INP-7 | PRAC | Clients that do no more than look at the task, or listen, are asked too.
        A-INP-8 | PRAC | An error is an answer.
        A-INP-9 | PRAC | Ids of questions cannot be guessed or used twice; the first answer counts, others do no harm.
        A-INP-10 | MUST | Nobody answers but the caller who was asked.
        A-INP-11 | PRAC | No question is waited for without end.
        A-TREQ-1 | SHOULD | A question wishes for a task only where the client declared that for this kind.
        A-TREQ-2 | - | A task of the client's is looked at, fetched and cancelled by requests, each on a stream.
        A-TREQ-3 | SHOULD | It is not looked at more often than it wishes; what it tells unasked is only a hint.
        A-TREQ-4 | - | It may begin in any state.
        A-TREQ-5 | MUST | Its result may name it as the related task; our requests about it name none.
        A-TREQ-6 | PRAC | A client that knows no tasks/* after all is asked plainly.
    """,
    "client/elicitation": """
        A-ELI-1 | MUST NOT | Ask in a mode that was not declared; to declare `elicitation` alone is to declare forms.
        A-ELI-2 | MUST | A message is shown with a flat form, or with a URL that has an id of its own.
        A-ELI-3 | MUST NOT | Ask for secrets in a form.
        A-ELI-4 | SHOULD | What was filled in is checked; a user may decline, or go away.
        A-ELI-5 | MUST | -32042 names the URLs to visit first, to who can be sent there.
        A-ELI-6 | MUST | That a user is done at a URL is told to who was asked, by its id.
        A-ELI-7 | MUST NOT | Put secrets into URLs. | what is in a URL is the tool's author's to choose
        A-ELI-8 | MUST | What was asked and answered is a user's, not a session's.
        A-ELI-9 | MUST | Refuse a mode that was not declared. | binds clients
    """,
    "client/sampling": """
        A-SAM-1 | MUST NOT | Offer tools to a model unless that is declared.
        A-SAM-2 | MUST | Each use of a tool is followed by its result.
        A-SAM-3 | SHOULD | Who will not have their model asked answers with an error, which is an outcome.
        A-SAM-4 | - | maxTokens is said; what comes back has a role, contents and a model.
    """,
    "client/roots": """
        A-ROOT-1 | - | Folders are asked for only where `roots` is declared.
        A-ROOT-2 | MUST | That they changed is taken note of with 202.
    """,
    "basic/utilities/progress": """
        A-PROG-1 | MUST | Progress is told only to who sent a token for it, which keeps its type.
        A-PROG-2 | MUST | It rises, and stops with the answer.
        A-PROG-3 | SHOULD | There is a limit to how much of it is told.
        A-PROG-4 | - | For tasks it travels on open streams only, and some may be lost.
    """,
    "basic/utilities/cancellation": """
        A-CANC-1 | MUST | Cancel only requests of one's own. | binds clients; the server cancels none of its questions
        A-CANC-2 | SHOULD | A cancelled request gets no answer; a malformed or late cancellation is ignored.
        A-CANC-3 | PRAC | Cancelling a tasks/result ends that waiting and not the task.
        A-CANC-4 | MUST | A cancellation that comes too late does no harm.
    """,
    "server/utilities/logging": """
        A-LOG-1 | MUST | Declare `logging` to send messages.
        A-LOG-2 | SHOULD | logging/setLevel takes the eight levels, is kept and heeded; others are -32602.
        A-LOG-3 | MUST NOT | Log secrets, or without end.
    """,
    "server/utilities/pagination": """
        A-PAG-1 | MUST | Cursors are opaque, and the last page has none.
        A-PAG-2 | SHOULD | A bad cursor is -32602; a good one keeps its place.
    """,
}

REQUIREMENTS = rows(SPECIFICATION, TABLE)

SECTIONS: Final = {
    **{"A-BASE": 9, "A-LIFE": 14, "A-HTTP": 15, "A-SSE": 20, "A-GET": 6, "A-SESS": 9, "A-TOOL": 10},
    **{"A-RES": 5, "A-PRM": 2, "A-CPL": 2, "A-TASK": 44, "A-PROG": 4, "A-CANC": 4, "A-LOG": 3, "A-PAG": 2},
    **{"A-INP": 11, "A-TREQ": 6, "A-ELI": 9, "A-SAM": 4, "A-ROOT": 2},
}
"""How many rows each section has."""
