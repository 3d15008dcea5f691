"""The requirements of the extension `io.modelcontextprotocol/tasks`, as of 2026-07-28."""

from tests.protocol.rows import rows

SPECIFICATION = "https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28"

TABLE = {
    "tasks.md": """
        B-TASK-1 | - | Clients declare the extension with each request, the server in server/discover.
        B-TASK-2 | MUST NOT | Create a task for a request that did not declare it, whatever others declared.
        B-TASK-3 | MAY | The server decides which calls become tasks.
        B-TASK-4 | MUST | A call that needs a task is -32021 without the extension, which the error names.
        B-TASK-5 | - | Only tools/call becomes a task.
        B-TASK-6 | MUST | A result that creates a task has the resultType `task`, and no other has.
        B-TASK-7 | - | A new task's fields are at the top level, without those that are still to come.
        B-TASK-8 | MUST | It can be read as soon as its creation is answered.
        B-TASK-9 | SHOULD | Request input before a task is created.
        B-TASK-10 | MUST | Task ids cannot be guessed.
        B-TASK-11 | MUST | A task is found by requests of its owner only.
        B-TASK-12 | MUST | A request about a task without the extension declared is -32021.
        B-TASK-13 | MUST | tasks/get returns exactly the fields that the status calls for.
        B-TASK-14 | MUST NOT | Return `failed` for anything but errors: a result with isError is `completed`.
        B-TASK-15 | MUST | Result and error are exactly what the call would have returned.
        B-TASK-16 | MUST | Only the specified transitions occur; final states do not change.
        B-TASK-17 | - | ttlMs and pollIntervalMs are integers; a task is deleted after its ttl.
        B-TASK-18 | MUST | An unknown or expired id is -32602.
        B-TASK-19 | - | tasks/get never waits.
        B-TASK-20 | MUST NOT | Return input requests whose capability the request did not declare.
        B-TASK-21 | MUST | tasks/update is answered with an empty result.
        B-TASK-22 | SHOULD | Input responses to no open input request are ignored.
        B-TASK-23 | MUST | No two input requests of a task have the same key.
        B-TASK-24 | SHOULD | Show each input request to the user once. | binds clients
        B-TASK-25 | MUST | tasks/cancel is answered with an empty result, for a final task too, which does not change.
        B-TASK-26 | MUST NOT | Cancel tasks by notification.
        B-TASK-27 | MAY | Listeners are sent whole tasks, and the acknowledgement lists the task ids that are honoured.
        B-TASK-28 | MUST NOT | Send progress or log messages of tasks.
        B-TASK-29 | MUST | There is no tasks/result and no tasks/list.
        B-TASK-30 | MUST | The capability of the earlier revision is not advertised, and does not declare the extension.
        B-TASK-31 | - | Names that begin with `tasks/` are the extension's. | no other extension is served
        B-TASK-32 | PRAC | A later draft's relatedTaskIds are ignored.
    """,
}

TASK_ROWS = rows(SPECIFICATION, TABLE)
