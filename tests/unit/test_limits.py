"""Each limit is defined once, and the documents state the same numbers."""

import ast
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from infra.server_settings import ServerSettings
from mcp_tasks.adapters.tenant_role import MAX_SESSIONS
from mcp_tasks.limits import aws, pace, requests, tenants, tools, waits
from mcp_tasks.settings import Settings
from mcp_tasks.tasks.plan import Plan

ROOT = Path(__file__).parents[2]
CORE = ROOT / "layers/core/python/mcp_tasks"
HOME = CORE / "limits"

# What is a number and sets no limit that anybody else has to know, by the file's place in its room.
ELSEWHERE = {
    "adapters/dynamodb/items.py": ("LIVE_SHARDS", "a part of the index's layout"),
    "adapters/cloudwatch_logs.py": ("MILLISECOND", "a unit"),
    "adapters/dynamodb/anchors.py": ("NUMBER_DIGITS", "a part of the layout of keys"),
    "engine/allowances.py": ("DAY", "a unit"),
    "adapters/dynamodb/counters.py": ("COUNTERS", "a part of the counters' layout"),
    "adapters/dynamodb/recount.py": ("ATTEMPTS", "the pace of one repair"),
    "adapters/dynamodb/schema.py": ("RELEASE_0_1_VERSION", "a schema version"),
    "adapters/dynamodb/keys.py": ("BYTES", "a size that HMAC-SHA-256 calls for"),
    "security/encryption.py": ("NONCE_BYTES", "a size that AES-GCM calls for"),
    "snapshots.py": ("SEED_BYTES", "a size that OpenSSL calls for"),
    "adapters/dynamodb/table.py": ("MAX_PAGE BACKOFF", "the pace of one adapter's requests"),
    "patience.py": ("FIRST_PAUSE LONGEST_PAUSE", "the pace of one loop"),
    "adapters/tenant_role.py": ("MAX_SESSIONS", "the size of one adapter's cache"),
    "adapters/polling.py": ("SHORTEST LONGEST", "the pace of one adapter's reads"),
    "adapters/streams/shards.py": (
        "CACHED_FOR REFRESHED_EVERY MAX_OPEN MAX_LISTED MAX_READ",
        "the pace of one adapter's reads",
    ),
    "adapters/streams/tail.py": ("READ_EVERY SHORTEST LONGEST", "the pace of one adapter's reads"),
    "adapters/memory/threads.py": ("GUARD", "the pace of one adapter's threads"),
    "aws.py": (
        "NETWORK MORE_RETRIES NO_RETRIES TO_HOST TO_INLINE TO_RUN MAX_CONNECTED MAX_IDLE",
        "timeouts of one library's clients",
    ),
    "engine/subscriptions.py": ("BETWEEN_READS", "the pace of one loop"),
    "tasks/durations.py": ("FACTOR BUCKETS", "the layout of a histogram"),
    "testing/reconciliation.py": ("BETWEEN_SWEEPS", "the schedule of `infra/reconciliation.py`, for tests"),
    "testing/state_machines/moto_services.py": ("LONGEST_PAUSE", "the pace of one loop"),
    "testing/state_machines/template.py": ("LONGEST_BUCKET_NAME", "a limit of S3's, on names made up for tests"),
    "testing/state_machines/clock.py": ("LONGEST_RUN", "how long a test may hang"),
    "testing/work.py": ("START_LATENCY RETRY_INTERVAL MOST_ATTEMPTS", "what Step Functions does, for tests"),
    "wire/deadline.py": ("REPEAT_SECONDS MIN_SECONDS", "the pace of one signal"),
    "wire/rev_2025_11_25/deliveries.py": ("REPEAT_AFTER READ_TERM", "the pace of one revision's streams"),
    "wire/rev_2025_11_25/listening_stream.py": ("RETRY", "the pace of one revision's streams"),
    "wire/rev_2025_11_25/requestor.py": (
        "MIN_POLL_INTERVAL MAX_POLL_INTERVAL POLL_SLOWDOWN",
        "the pace of one revision's streams",
    ),
    "wire/rev_2025_11_25/serve.py": ("BACKOFF", "the pace of one revision's streams"),
    "wire/rev_2025_11_25/response_pace.py": ("RETRY", "the pace of one revision's streams"),
    "wire/rev_2026_07_28/listen.py": ("PART_OF_AGE LONGEST_DELAY", "the pace of one revision's streams"),
    "adapters/memory/shelves.py": ("FEW", "when one way of taking names off a list is quicker"),
    "features/code_version.py": ("DIGEST_CHARACTERS", "a size that tells versions apart, and that people can read"),
    "features/machines.py": ("HIGHEST", "where a clone has its state machines, above its tools"),
    "infra/alarms_of_endpoint.py": ("SLOW", "what sets off one alarm, and no client meets"),
    "infra/alarms_of_tasks.py": ("WAITING BEHIND", "what sets off one alarm each, and no client meets"),
    "infra/audit.py": ("FOR_EVER", "what CloudWatch Logs means by no retention"),
    "infra/bytecode/compiler.py": ("SHOWN", "how many names one sentence has"),
    "infra/bytecode/size.py": ("MEBIBYTE", "a unit"),
    "infra/canary.py": ("FAILURES", "what ends one deploy, and no client meets"),
    "infra/release.py": ("DIGITS", "a size that tells releases apart, and that people can read"),
    "infra/retries.py": ("PASSING_CALLS BROKEN_CALLS REVOKED_CALLS", "the pace of one state's retries"),
    "infra/server_settings.py": ("SECOND", "a unit"),
}

TABLE = {
    "active tasks of a tenant": [f"{tenants.MAX_ACTIVE_TASKS:,}"],
    "of these, running at a time": [str(tenants.MAX_RUNNING_TASKS)],
    "a subject's share of both": [f"{tenants.MAX_SUBJECT_SHARE:.0%}".replace("50%", "half")],
    "its tasks that wait for input, when a further one starts": [
        "no limit but that of active tasks" if Plan().suspended_tasks is None else "?"
    ],
    "requests of a tenant and of its subject, held connections, sessions, idempotency keys and bytes": [
        "half of its tenant's rate" if tenants.MAX_SUBJECT_SHARE == 0.5 else "?",
    ],
    "requests a second that the gateway lets through, and of these one tenant's": [
        f"{tenants.REQUESTS_PER_SECOND}, in a burst too",
        f"{tenants.MAX_API_KEYS} keys",
    ],
    "how late a change of a plan holds": [f"every {waits.PLAN_FRESH.seconds} seconds"],
    "how long a task is kept (its ttl)": [
        f"{tenants.DEFAULT_TTL // timedelta(hours=1)} hours",
        f"{waits.KEPT.seconds // 60} minutes",
        f"{'three' if waits.MAX_DIRECT_RUNS == 3 else '?'} times that timeout",
        f"{(waits.UNNOTICED + waits.KEPT) // timedelta(minutes=1)} minutes",
        f"{tenants.MAX_TTL.days} days",
    ],
    "time for a tool on the default machine": [f"{waits.LONGEST_RUN.seconds // 60} minutes"],
    "time for a tool that is never a task, a prompt or a resource": [f"{aws.LONGEST_REQUEST.seconds} seconds"],
    "how long a call without a task waits for its tool": [f"{waits.INLINE_WAIT.seconds} seconds"],
    "the same, for `task_result`": [
        f"{waits.INLINE_WAIT.seconds} seconds",
        f"{waits.LONGEST_RESULT_WAIT.seconds} at most",
    ],
    "time for a user to answer": [f"{waits.KEPT.seconds // 60} minutes"],
    "the same, before there is a task, in 2026-07-28 (the life of a `requestState`)": [
        f"{waits.REQUEST_STATE_LIFETIME.seconds // 3600} hour"
    ],
    "how long a task may sleep": [f"{waits.KEPT.seconds // 60} minutes before"],
    "the wait before a step is retried": [
        f"{waits.LONGEST_BACKOFF.seconds // 60} minute at most",
        f"{waits.LONGEST_INLINE_BACKOFF.seconds} seconds in all",
    ],
    "what a tool may request at once": [
        f"{tools.MAX_INPUT_REQUESTS} ",
        f"{tools.MAX_INPUT_REQUESTS_CHARACTERS:,} characters of JSON",
    ],
    "the keys of all input requests of a task": [f"{tools.MAX_REQUESTED_CHARACTERS:,} characters of JSON"],
    "what a user may choose in one field of a form": [f"{requests.MAX_CHOSEN:,} choices"],
    "what is kept in the table": [
        f"up to {aws.MAX_INLINE_CHARACTERS // 1_000} KB each",
    ],
    "arguments": [
        f"{tenants.MAX_ARGUMENTS_BYTES / 1_000_000:g} MB",
        f"{tenants.MAX_MACHINE_ARGUMENTS_BYTES / 1_000:g} KB",
    ],
    "a message": [f"{requests.MAX_MESSAGE_VALUES:,} values", f"nested {requests.MAX_MESSAGE_DEPTH} deep"],
    "who acts for whom in a token (`act`)": [
        f"{requests.MAX_ACTORS} actors",
        f"{requests.MAX_ACTOR_BYTES:,} bytes",
    ],
    "issuers of a stage": [f"{aws.MAX_ISSUERS_BYTES:,} bytes"],
    "a result": [f"{tools.MAX_RESULT_CHARACTERS / 1_000_000:g} MB of JSON"],
    "what a step returns": [f"{tools.MAX_STEP_CHARACTERS:,} characters of JSON"],
    "what the runs of a task send to `host_run`": [
        f"{tools.MAX_MESSAGES:,} messages at once",
        f"{tools.MESSAGES_PER_SECOND} a second",
        f"{tools.MESSAGE_BYTES:,} characters",
        f"{tools.MAX_LEASED_MESSAGES:,} more",
    ],
    "credentials of a tenant (`context.aws`)": [
        f"in {(waits.TENANT_SESSION - waits.RUN_TICKET_LIFETIME).seconds // 60} minutes",
        f"at most {MAX_SESSIONS:,} tenants",
    ],
    "progress": [f"one report in {waits.BETWEEN_REPORTS.total_seconds():g} s"],
    "what `context.expect` says": [
        f"one in {waits.BETWEEN_REPORTS.total_seconds():g} s",
        "changes half of" if waits.MIN_SURPRISE == 0.5 else "?",
    ],
}

SENTENCES = [
    ("docs/tools.md", f"the same task for {waits.IDEMPOTENCY_KEY_LIFETIME // timedelta(hours=1)} hours"),
    (
        "docs/tools.md",
        f"at first, {waits.LONGEST_POLL_INTERVAL // timedelta(minutes=1)} minutes at most, since an outcome",
    ),
    ("docs/tools.md", f"a call that is not a task, they take {waits.LONGEST_INLINE_BACKOFF.seconds} seconds in all"),
    ("docs/tools.md", f"under a new key (`amount~again-2`), {tools.MAX_ASKED_AGAIN} times at most;"),
    ("docs/input-requests.md", f"until it is decided or over, {tools.MAX_REMINDERS} times at most;"),
    ("docs/input-requests.md", f"{waits.BETWEEN_REMINDERS.seconds // 60} minutes is the shortest"),
    ("docs/limits.md", f"calls that wait {waits.INLINE_WAIT.seconds} s (`inline_wait`)"),
    ("docs/limits.md", f"by {pace.MAX_EARLY_INTERVAL.seconds} s at most in the first two hours. `tasks/get` knows it"),
    ("docs/limits.md", f"with at most {requests.MAX_BATCH_MESSAGES} messages"),
    ("docs/deploy.md", f"keys are fetched again after {waits.ISSUER_KEYS_FRESH.seconds // 60} minutes"),
    ("docs/deploy.md", f"Fetching takes {waits.ISSUER_KEYS_FETCHED_WITHIN.seconds} seconds at most"),
    ("docs/deploy.md", f"cause a fetch every {waits.ISSUER_KEYS_REFETCHED_AFTER.seconds} seconds at most"),
    (
        "docs/deploy.md",
        f"after {waits.ISSUER_KEYS_FIRST_RETRY.seconds}, 4, 8, 16 and then {waits.ISSUER_KEYS_REFETCHED_AFTER.seconds}",
    ),
    ("docs/tenants.md", f"may take {aws.MAX_PLANS_BYTES} bytes in all"),
    ("docs/tenants.md", f"{waits.BURST_LASTS.seconds} seconds of the rate, at least {tenants.MAX_LEASED_REQUESTS}"),
    ("docs/tenants.md", f"takes {tenants.MAX_LEASED_REQUESTS} requests at once from the tenant's bucket"),
    ("docs/tenants.md", f"a tenth at once, at least {tenants.MIN_LEASED_REQUESTS}, so"),
    ("docs/tenants.md", f"A subject's first {tenants.MAX_UNLEASED_REQUESTS} requests"),
    ("docs/deploy.md", f"may take {aws.MAX_PRESENTATION_BYTES // 1024} KB in all"),
]


def test_a_number_that_limits_something_is_set_in_one_place() -> None:
    found = {where: " ".join(names) for where, names in _numbers_elsewhere()}

    # A revision that is dropped takes its own with it.
    there = {
        where: names
        for where, (names, _) in ELSEWHERE.items()
        if any((start / where).exists() for start in (CORE, ROOT))
    }
    assert found == there


@pytest.mark.parametrize("group", [aws, pace, requests, tenants, tools, waits], ids=lambda group: group.__name__)
def test_a_limit_has_its_unit_and_its_reason(group: object) -> None:
    body = ast.parse(Path(str(vars(group)["__file__"])).read_text()).body
    for place, statement in enumerate(body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            after = body[place + 1]
            assert isinstance(after, ast.Expr), f"{statement.target.id} has no reason"
            assert isinstance(after.value, ast.Constant)
            value = vars(group)[statement.target.id]
            assert isinstance(value, timedelta) or re.match(
                r"M(AX|IN)_|LEAST_|PAGE_SIZE|.*_(BYTES|SECOND|SECONDS)$", statement.target.id
            )


@pytest.mark.parametrize(("what", "numbers"), TABLE.items(), ids=list(TABLE))
def test_the_table_says_what_holds(what: str, numbers: list[str]) -> None:
    how_much = _table()[what]

    assert [each for each in numbers if each not in how_much] == []


def test_every_limit_that_the_table_names_is_compared() -> None:
    assert list(_table()) == list(TABLE)


@pytest.mark.parametrize(("document", "sentence"), SENTENCES)
def test_a_document_says_what_holds(document: str, sentence: str) -> None:
    assert sentence in " ".join((ROOT / document).read_text().split())


def test_a_function_without_an_environment_has_the_defaults_of_a_stage() -> None:
    stage = ServerSettings()
    functions = Settings.of({"TABLE_NAME": "tasks", "PAYLOAD_BUCKET": "payloads"})

    assert functions.page_size == stage.page_size
    assert functions.plans.default.active_tasks == stage.max_active_tasks
    assert functions.plans.default.running_tasks == stage.max_running_tasks
    assert functions.limits.default_ttl == timedelta(seconds=stage.default_ttl_seconds)
    assert functions.limits.longest_ttl == timedelta(seconds=stage.max_ttl_seconds)
    assert functions.request_state_lifetime == timedelta(seconds=stage.request_state_lifetime_seconds)


def _table() -> dict[str, str]:
    section = (ROOT / "docs/limits.md").read_text().split("\n## Limits\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return {row[0].strip(): row[1] for row in rows[1:]}


def _numbers_elsewhere() -> Iterator[tuple[str, list[str]]]:
    for room, start in ((CORE, CORE), (ROOT / "functions", ROOT), (ROOT / "infra", ROOT)):
        for file in sorted(room.rglob("*.py")):
            names = [] if HOME in file.parents else list(_numbers(file.read_text()))
            if names:
                yield str(file.relative_to(start)), names


def _numbers(source: str) -> Iterator[str]:
    """Yield the names that a module gives to numbers and to lengths of time; codes of errors are below zero."""
    for statement in ast.parse(source).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if _is_number(value):
                yield name


def _is_number(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_number(left) or _is_number(right)
        case ast.Tuple(elts=parts):
            return any(map(_is_number, parts))
        case ast.Call(func=ast.Name(id="timedelta" | "tuple" | "Config")):
            return any(_is_number(each) for each in ast.walk(value) if isinstance(each, ast.Constant))
        case _:
            return False
