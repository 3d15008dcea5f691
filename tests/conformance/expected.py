"""What the official runner does not find as it wants it, each with the reason; the aim is that `FAILURES` is empty.

A finding is a revision, a scenario and a check of it; `WHOLE` stands for all of a scenario without checks.
Whatever is found and not here fails the run, and so does what is here and not found.
"""

from collections.abc import Mapping

from tests.conformance.runner import Status

Finding = tuple[str, str, str]

WHOLE = "*"

FAILURES: Mapping[Finding, str] = {}

WARNINGS: Mapping[Finding, str] = {}

LISTS_NEVER_CHANGE = (
    "The lists of tools and prompts are those of the deployment and never change while it stands, so the server does"
    " not declare `listChanged`."
)

SKIPPED: Mapping[Finding, str] = {
    ("2026-07-28", "tasks-status-notifications", WHOLE): (
        "The runner always skips this scenario: it expects notifications on the call's stream, where the specification"
        " no longer sends them, and will be rewritten for `subscriptions/listen`."
    ),
    ("2026-07-28", "server-stateless", "sep-2575-server-sends-tools-list-changed-on-subscription"): LISTS_NEVER_CHANGE,
    (
        "2026-07-28",
        "server-stateless",
        "sep-2575-server-sends-prompts-list-changed-on-subscription",
    ): LISTS_NEVER_CHANGE,
}

EXPECTED: Mapping[Status, Mapping[Finding, str]] = {"FAILURE": FAILURES, "WARNING": WARNINGS, "SKIPPED": SKIPPED}
