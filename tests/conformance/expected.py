"""What the official runner does not find as it wants it, each with the reason; the aim is that `FAILURES` is empty.

A finding is a revision, a scenario and a check of it; `WHOLE` stands for all of a scenario that looked at nothing.
Whatever is found and not here fails the run, and so does what is here and not found.
"""

from collections.abc import Mapping

from tests.conformance.runner import Status

Finding = tuple[str, str, str]

WHOLE = "*"

ASKED_ON_A_STREAM = (
    "The tool asks the client while its call is open. In this revision a question travels as a request on the stream of"
    " the call, and the server puts no requests there yet: a tool that needs an answer is told that it cannot ask."
)
TASKS_ASK_NOTHING = (
    "A tool that runs as a task cannot ask its client yet: it is told so, and the task never becomes `input_required`."
)

FAILURES: Mapping[Finding, str] = {
    ("2025-11-25", "tools-call-sampling", "tools-call-sampling"): ASKED_ON_A_STREAM,
    ("2025-11-25", "tools-call-elicitation", "tools-call-elicitation"): ASKED_ON_A_STREAM,
    ("2025-11-25", "elicitation-sep1034-defaults", "elicitation-sep1034-general"): ASKED_ON_A_STREAM,
    ("2025-11-25", "elicitation-sep1330-enums", "elicitation-sep1330-general"): ASKED_ON_A_STREAM,
    ("2026-07-28", "tasks-mrtr-input", "sep-2663-tasks-get-status-input-required"): TASKS_ASK_NOTHING,
    ("2026-07-28", "tasks-mrtr-input", "tasks-mrtr-partial-fulfillment"): TASKS_ASK_NOTHING,
    ("2026-07-28", "tasks-mrtr-composition", "sep-2663-mrtr-synchronous-before-task-creation"): (
        "A call of a tool that is always a task becomes one at once, and what it asks would have to be answered first."
    ),
}

WARNINGS: Mapping[Finding, str] = {}

LISTS_NEVER_CHANGE = (
    "The lists of tools and prompts are those of the deployment and never change while it stands, so the server does"
    " not offer to tell of changes."
)

SKIPPED: Mapping[Finding, str] = {
    ("2026-07-28", "tasks-status-notifications", WHOLE): (
        "The runner always skips it: it looked for notifications on the stream of the call, where the specification has"
        " none any more, and is to be rewritten for `subscriptions/listen`."
    ),
    ("2026-07-28", "server-stateless", "sep-2575-server-sends-tools-list-changed-on-subscription"): LISTS_NEVER_CHANGE,
    (
        "2026-07-28",
        "server-stateless",
        "sep-2575-server-sends-prompts-list-changed-on-subscription",
    ): LISTS_NEVER_CHANGE,
}

EXPECTED: Mapping[Status, Mapping[Finding, str]] = {"FAILURE": FAILURES, "WARNING": WARNINGS, "SKIPPED": SKIPPED}
