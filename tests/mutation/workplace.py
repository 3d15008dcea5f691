"""A copy of the checkout in which mutmut runs: it mutates a package in the root alone, so the core lies there."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from tests.checkout import copied

CORE = Path("layers/core/python/mcp_tasks")
COPIED = ["app.py", "cdk.json", "docs", "functions", "infra", "layers", "local", "requirements.txt", "tests"]
COPIED += ["Makefile", ".pytest.ini"]

PATHS = ["", "layers/tools/python", "layers/examples/python"]
"""Where modules are imported from, in what mutmut makes of the copy."""

# These look at the checkout as it is, in which the core lies elsewhere.
OF_THE_CHECKOUT = ["cold_start", "fallbacks", "habits", "schema_written", "service_data", "version"]


def _unit(*names: str) -> Sequence[str]:
    return [f"tests/unit/test_{each}.py" for each in names]


NEAR = {
    "tasks": ["tests/unit", "tests/approvals", "tests/testing"],
    "engine/operations.py": _unit(
        "operations",
        "operations_end",
        "lifecycle_end",
        "lifecycle_start",
        "suspension",
        "suspension_responses",
        "reconciler",
    ),
    "engine/reconciler.py": _unit("reconciler", "reconciler_holding", "reconciler_suspended", "sweep"),
    "engine/execution_outcomes.py": _unit("execution_outcomes"),
    "engine/sweep.py": _unit(
        "sweep", "sweep_edges", "sweep_logged", "reconciler", "reconciler_holding", "reconciler_suspended", "direct"
    ),
    "engine/leases.py": _unit("admission", "admission_edges"),
    "engine/lease_keeping.py": _unit("lease_keeping", "direct"),
    "engine/admission.py": _unit("admission", "admission_edges"),
    "engine/suspension.py": _unit(
        "suspension",
        "suspension_expiry",
        "suspension_input_requests",
        "suspension_responses",
        "suspension_others",
        "suspension_slots",
        "reconciler_suspended",
        "sleep",
    ),
    "engine/current_run.py": _unit("current_run"),
    "engine/lifecycle.py": _unit(
        "lifecycle_start",
        "lifecycle_end",
        "lifecycle_get",
        "lifecycle_idempotency",
        "lifecycle_updates",
        "lifecycle_wait",
        "lifecycle_queued",
        "lifecycle_plans",
        "lifecycle_joining",
        "lifecycle_shown",
    ),
    "engine/inline_journal.py": _unit("inline_journal", "inline_initial_state", "context", "retries"),
    "engine/journal.py": _unit(
        "journal", "journal_edges", "replay_log", "patched", "sleep", "runner_steps", "runner_progress", "context_aws"
    ),
    "engine/task_host.py": _unit(
        "task_host", "run_host", "runner_cancel", "runner_progress", "runner_steps", "direct", "sleep", "journal"
    ),
    "engine/pacing.py": _unit("lifecycle_get", "lifecycle_start", "lifecycle_queued"),
    "engine/limits.py": _unit("lifecycle_start", "lifecycle_plans", "direct"),
    "engine/current_call.py": _unit("current_call", "call_log", "lifecycle_wait"),
    "engine/runner.py": _unit(
        "runner_edges",
        "runner_cancel",
        "runner_inline",
        "runner_input",
        "runner_outcome",
        "run_host",
        "sleep",
        "changed_tool",
        "journal",
    ),
    "engine/tool_run.py": _unit(
        "tool_run_edges",
        "run_inline",
        "runner_inline",
        "runner_outcome",
        "own_schema",
        "swallowed_signals",
        "control_signals",
        "changed_tool",
        "sleep",
    ),
    "engine/approvals.py": _unit("approvals"),
    "engine/approval_answers.py": _unit("approval_answers", "approval_pages", "decided_approval"),
    "engine/entitlement.py": _unit(
        "audiences", "approvals", "approval_answers", "suspension_others", "lifecycle_shown"
    ),
    "engine/approval_notices.py": _unit("approval_notices", "sweep_edges"),
    "engine/tool_calls.py": _unit("tool_calls", "tool_calls_edges"),
    "engine/allowances.py": _unit("admission_edges", "lifecycle_plans"),
    "engine/result_size.py": _unit("result_size"),
    "engine/progress_reports.py": _unit("progress_reports"),
    "engine/watched_journal.py": _unit("swallowed_signals", "control_signals", "signals_by_hand"),
    "engine/task_events.py": _unit("task_events", "task_events_edges"),
    "engine/subscriptions.py": _unit("subscriptions"),
    "engine/built_in_tools.py": _unit("built_in_tools"),
    "engine/task_tools.py": _unit("task_tools", "task_tools_edges", "task_list"),
    "engine/approval_tools.py": _unit("approval_tools"),
    "engine/operator_tools.py": _unit("tools_of_operators"),
    "engine/tenant_overview.py": _unit("tenant_overview"),
    "engine": ["tests/unit", "tests/approvals", "tests/testing", "tests/contract"],
}
"""Which tests are run for a module of the core, or for all of a folder of it."""


def near(chosen: str) -> Sequence[str]:
    """Return the tests of a module or, if it has none of its own, of its folder."""
    return NEAR.get(chosen) or NEAR.get(chosen.split("/")[0], ["tests/unit"])


def make_workplace(place: Path, chosen: str, tests: Sequence[str]) -> None:
    """Copy the checkout to a place that is emptied before, with mutmut's settings for the chosen folder or module."""
    shutil.rmtree(place, ignore_errors=True)
    for path in PATHS:
        # A process that starts before mutmut makes these folders would take them for ones without modules.
        (place / "mutants" / path).mkdir(parents=True, exist_ok=True)
    copied(place)
    shutil.move(place / CORE, place / "mcp_tasks")
    settings = place / ".pytest.ini"
    settings.write_text(settings.read_text().replace(str(CORE.parent), "."))
    pattern = chosen if chosen.endswith(".py") else f"{chosen}/*"
    options = {
        "source_paths": ["mcp_tasks"],
        "only_mutate": [f"mcp_tasks/{pattern}"],
        "also_copy": COPIED,
        "pytest_add_cli_args_test_selection": tests,
        "pytest_add_cli_args": [
            "-ptests.mutation.node_ids",
            *(f"--ignore-glob=*/test_{each}.py" for each in OF_THE_CHECKOUT),
        ],
        "use_git_change_detection": ["false"],
    }
    lines = ["[mutmut]", *(line for name, values in options.items() for line in _option(name, values))]
    (place / "setup.cfg").write_text("\n".join(lines) + "\n")


def _option(name: str, values: Sequence[str]) -> list[str]:
    return [f"{name} =", *(f"    {each}" for each in values)] if len(values) > 1 else [f"{name} = {values[0]}"]
