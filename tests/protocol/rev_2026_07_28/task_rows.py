"""What the extension `io.modelcontextprotocol/tasks` asks, as of 2026-07-28."""

from tests.protocol.rows import rows

SPECIFICATION = "https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28"

TABLE = {
    "tasks.md": """
        B-TASK-1 | - | Clients declare it with each request, the server in server/discover.
        B-TASK-2 | MUST NOT | Make a task of a request that did not declare it, whatever others did.
        B-TASK-3 | MAY | The server decides what becomes a task.
        B-TASK-4 | MUST | Where there is no way without a task, that is -32021 and names the extension.
        B-TASK-5 | - | Only tools/call becomes a task.
        B-TASK-6 | MUST | What creates a task has the result type `task`, and nothing else has.
        B-TASK-7 | - | A new task is shown flat, without what is still to come.
        B-TASK-8 | MUST | It can be looked at as soon as its creation is answered.
        B-TASK-9 | SHOULD | Ask before there is a task.
        B-TASK-10 | MUST | Ids cannot be guessed.
        B-TASK-11 | MUST | Every request about a task is its owner's, or finds none.
        B-TASK-12 | MUST | One that did not declare the extension is -32021.
        B-TASK-13 | MUST | tasks/get shows what the status calls for, all of it, and no more.
        B-TASK-14 | MUST NOT | Call anything `failed` but errors: a result with isError is `completed`.
        B-TASK-15 | MUST | Result and error are exactly what the call would have been answered.
        B-TASK-16 | MUST | States follow the diagram, and final ones stay.
        B-TASK-17 | - | ttlMs and pollIntervalMs are integers; after its ttl a task is gone.
        B-TASK-18 | MUST | An unknown or expired id is -32602.
        B-TASK-19 | - | tasks/get never waits.
        B-TASK-20 | MUST NOT | Show input requests to who did not declare to answer such.
        B-TASK-21 | MUST | tasks/update is answered with an empty result.
        B-TASK-22 | SHOULD | Answers that nobody waits for are ignored.
        B-TASK-23 | MUST | No key names two input requests of one task.
        B-TASK-24 | SHOULD | Show each input request to the user once. | binds clients
        B-TASK-25 | MUST | tasks/cancel is answered with an empty result, for a final task too, which stays as it is.
        B-TASK-26 | MUST NOT | Cancel tasks by notification.
        B-TASK-27 | MAY | Listeners are told of tasks, in full, and which ones they hear of.
        B-TASK-28 | MUST NOT | Tell progress or log messages of tasks.
        B-TASK-29 | MUST | There is no tasks/result and no tasks/list.
        B-TASK-30 | MUST | The capability of the earlier revision is not advertised, and not taken for the extension.
        B-TASK-31 | - | The names that begin with `tasks/` are the extension's. | nothing here is named by anybody else
        B-TASK-32 | PRAC | A later draft's relatedTaskIds are ignored.
    """,
}

TASK_ROWS = rows(SPECIFICATION, TABLE)
