"""What the official clients see of the sample tools, and how they are told to use a revision."""

import pytest

from tests.revisions import REVISIONS

MODES = {"2025-11-25": "legacy", "2026-07-28": "auto"}
"""How a client of both revisions is told to use one of them."""

ERAS = {"2025-11-25": "legacy", "2026-07-28": "modern"}
"""How the Inspector calls the same."""

in_each_revision = pytest.mark.parametrize("revision", sorted(REVISIONS))

TASKS = {
    "greeting": "Hello, Ada!",
    "created": "working",
    "final_status": "completed",
    "result": "Computed tea for 3 s",
    "failure": "This job always fails",
    "cancelled": "cancelled",
}
"""What a client sees that has tasks."""

WITHOUT_TASKS = {
    "greeting": "Hello, Ada!",
    "task_tools": ["task_cancel", "task_list", "task_result"],
    "result": "Computed tea for 3 s",
    "task_handle": "working",
    "fetched": "Dawdled for 3 s",
    "cancelled": "The task is cancelled, and its work is being stopped.",
}
"""What a client sees that has none."""

# Of a tool that is always a task.
JOB = [{"type": "text", "text": "Job seven finished"}]

# What the tool says in the end, and what was asked until then: each thing once.
TEA = ["Calm: green, 2 lumps", "Which leaves?", "How much sugar?", "Name this tea."]
CORRECTION = 'Which leaves?\n\nThe last answer did not fit: leaves should be one of "green", "black", not "red".'
CORRECTED = [*TEA[:2], CORRECTION, *TEA[2:]]
NAMELESS = ["tea without a name: green, 2 lumps", "Which leaves?", "How much sugar?"]
WATER = ["Water, since nobody can be asked"]

# What clients ask an authorization server for as they connect, and once a tool needs more.
FIRST, WIDER = "tools:call", "tools:call reports:write"
GREETING = "Hello, Ada!"
STEPPED_UP = {"greeting": GREETING, "task": "working", "published": "Published", "asked": [FIRST, WIDER]}
"""What a client sees that asks for more."""
