"""The live tests, on the emulator: that they ask for what there is, so that on AWS a failure is AWS's."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any, Final
from urllib.request import Request, urlopen

import pytest

from local.deploy import deploy
from local.emulator import ROOT, aws_environment
from local.stack import Stack, running_stack
from tests.stack.internals import function

STAGE: Final = ROOT / "tests/live/stage"
NAME: Final = "McpTaskLive-local"
SETTINGS: Final = {"requests_per_second": 20, "tenant_share": 0.1, "tool_isolation": "tenant", "customer_key": True}

BY_SETTINGS: Final = ("test_a_flood_of_one_tenant_is_refused_and_its_neighbour_is_served",)
"""Tests of what a stage has by `SETTINGS` alone."""

UNLIKE_AWS: Final = {
    "test_a_task_whose_execution_times_out_fails_by_the_event_of_its_end": "'SUCCEEDED' == 'TIMED_OUT'",
    "test_an_entry_of_the_index_takes_one_unit_in_a_transaction_too": "KeyError: 'ConsumedCapacity'",
    "test_what_a_stage_keeps_is_encrypted_by_its_own_key": "{'McpTaskLive-local-",
}
"""Tests of what the emulator does otherwise than AWS should, and how they fail there."""

BY_ROLE: Final = {
    "test_the_function_that_suspends_tasks_cannot_read_the_signing_keys": "suspend_task",
    "test_no_function_can_write_the_plan_of_a_tenant": "serve_mcp",
    "test_a_tenant_of_any_name_is_held_to_its_folder": "tenant",
    "test_a_tenant_of_any_name_is_held_to_its_items": "tenant",
}
"""Tests of what a role may not do, and the function that has it; that of a tenant's session is `host_run`'s to take."""

NOT_THERE: Final = {
    "test_an_official_client_finds_every_answer_right": "has no example tools",
    "test_no_process_of_tools_serves_two_tenants": "has one environment for all tenants",
    "test_a_domain_leads_to_the_server_and_the_gateways_own_address_as_set": "has no domain of its own",
    "test_what_clients_wait_for_is_restored_from_snapshots": "imports at each cold start",
    "test_requests_and_executions_are_sampled_by_the_stages_rules": "goes by the account's rules",
}
"""Tests of what no stage on the emulator has, and the reason that they give."""


@contextmanager
def live_stack(**settings: Any) -> Iterator[Stack]:
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv("PYTHONPATH", str(STAGE / "python"), prepend=os.pathsep)
        yield stack.enter_context(running_stack(app=STAGE / "app.py", tools="live_tools", **settings))


@pytest.fixture(scope="module")
def plain() -> Iterator[Stack]:
    """A stage of two releases, on an emulator that does what it leaves out by itself."""
    with live_stack() as stack:
        deploy(stack.emulator, stack.app, {**stack.settings, "instructions": "The second release."})
        configure(stack, {"cloudtrail._recording_enabled": "true"})
        yield stack


@pytest.fixture(scope="module")
def with_settings() -> Iterator[Stack]:
    with live_stack(**SETTINGS) as stack:
        yield stack


def configure(stack: Stack, settings: Mapping[str, str]) -> None:
    body = json.dumps(settings).encode()
    url = f"{stack.emulator.url}/_ministack/config"
    urlopen(Request(url, data=body, headers={"content-type": "application/json"})).close()


def stand_in(stack: Stack) -> None:
    """Write what Lambda logs of a process that dies, its count, and a day of waits; have the table restorable."""
    now, logs = datetime.now(UTC), stack.client("logs")
    report = {"type": "platform.report", "record": {"requestId": "a", "status": "failure"}}
    waits = [{"message": "answered", "woken_by": "stream"}] * 24
    for name, records, at in (("run_tool", [report], now + timedelta(minutes=1)), ("await_task", waits, now)):
        group = logs_of(stack, name)
        logs.create_log_stream(logGroupName=group, logStreamName=f"stand-in-{time.time_ns()}")
        logs.put_log_events(
            logGroupName=group,
            logStreamName=logs.describe_log_streams(logGroupName=group)["logStreams"][-1]["logStreamName"],
            logEvents=[{"timestamp": int(at.timestamp() * 1_000), "message": json.dumps(each)} for each in records],
        )
    data = [{"MetricName": "failed_runs", "Value": 1, "Timestamp": now + timedelta(seconds=30 * at)} for at in range(3)]
    stack.client("cloudwatch").put_metric_data(Namespace=NAME, MetricData=data)
    recovery = {"PointInTimeRecoveryEnabled": True}
    table = stack.outputs["TableName"]
    stack.client("dynamodb").update_continuous_backups(TableName=table, PointInTimeRecoverySpecification=recovery)


def logs_of(stack: Stack, name: str) -> str:
    configuration = stack.client("lambda").get_function_configuration(FunctionName=function(stack, name))
    return str(configuration["LoggingConfig"]["LogGroup"])


def run(stack: Stack, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run what `make live` runs."""
    environment = os.environ | aws_environment(stack.emulator.url, stack.emulator.folder) | variables
    environment |= {
        "STACK": NAME,
        "TOKEN": stack.token("acme", "ada"),
        "OTHER_TOKEN": stack.token("rival", "eve"),
        "ACTING_TOKEN": stack.token("acme", "ada", act={"sub": "Zoë"}),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-m", "live", "-rs", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False)


FILES: Final = sorted(path.name for path in (ROOT / "tests/live").glob("test_*.py"))
ELSEWHERE: Final = (*BY_SETTINGS, *UNLIKE_AWS, *NOT_THERE)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_what_the_emulator_does_like_aws_passes_and_skips_nothing(plain: Stack, tmp_path: Path, file: str) -> None:
    stand_in(plain)
    rest = " and ".join(f"not {name}" for name in ELSEWHERE)
    with deploying(plain, tmp_path / "deploying") as command:
        done = run(plain, f"tests/live/{file}", "-k", rest, DEPLOY=command)

    # 5: no test is left.
    assert done.returncode in (0, 5), done.stdout
    assert "SKIPPED" not in done.stdout, done.stdout


@contextmanager
def deploying(stack: Stack, begun: Path) -> Iterator[str]:
    """Yield a command that deploys another release, which is done here: it takes the emulator that runs."""

    over = Event()

    def work() -> None:
        while not (begun.exists() or over.wait(0.1)):
            pass
        if begun.exists():
            deploy(stack.emulator, stack.app, {**stack.settings, "instructions": f"Release {time.time_ns()}."})
            begun.unlink()

    with ThreadPoolExecutor(1) as one:
        done = one.submit(work)
        try:
            yield f"touch {begun}; while test -e {begun}; do sleep 0.1; done"
        finally:
            over.set()
            done.result()


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_SETTINGS)
def test_what_a_stage_has_by_its_settings_passes(with_settings: Stack, name: str) -> None:
    done = run(with_settings, "tests/live", "-k", name)

    assert done.returncode == 0, done.stdout
    assert "SKIPPED" not in done.stdout, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", UNLIKE_AWS)
def test_what_the_emulator_does_otherwise_fails(with_settings: Stack, name: str) -> None:
    done = run(with_settings, "tests/live", "-k", name)

    assert done.returncode == 1, done.stdout
    assert UNLIKE_AWS[name] in done.stdout


@contextmanager
def widened(stack: Stack, of: str) -> Iterator[None]:
    """Have a role do anything, until the context ends."""
    found = stack.client("lambda").get_function_configuration(
        FunctionName=function(stack, "host_run" if of == "tenant" else of)
    )
    arn = found["Environment"]["Variables"]["TENANT_ROLE"] if of == "tenant" else found["Role"]
    iam, policy = stack.client("iam"), {"RoleName": arn.rpartition("/")[2], "PolicyName": "Wide"}
    anything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    iam.put_role_policy(**policy, PolicyDocument=json.dumps(anything))
    try:
        yield
    finally:
        iam.delete_role_policy(**policy)


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_ROLE)
def test_a_role_that_may_do_more_is_found(with_settings: Stack, name: str) -> None:
    with widened(with_settings, BY_ROLE[name]):
        done = run(with_settings, "tests/live", "-k", name)

    assert done.returncode == 1, done.stdout
    assert "AssertionError" in done.stdout


@pytest.mark.slow
def test_what_no_stage_on_the_emulator_has_says_what_is_missing(with_settings: Stack) -> None:
    done = run(with_settings, "tests/live", "-k", " or ".join(NOT_THERE))

    assert done.returncode == 0, done.stdout
    for reason in NOT_THERE.values():
        assert reason in done.stdout
