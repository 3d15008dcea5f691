"""A hostile tool tries everything of others, with the credentials of the function that runs it and all it finds there.

Beside what IAM decides, of which `tests/isolation` has every action, this tries the calls themselves.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from local.stack import Stack
from mcp_tasks.adapters.dynamodb.items import SYSTEM
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.client import FINAL
from tests.protocol.rev_2026_07_28.over_http import Client, client
from tests.stack.internals import execution, function, invocations_when_idle, kill_functions, live
from tests.timeout import until

LARGE = "x" * 400_000
"""More than an item holds, so that it is in the bucket."""

NAME = "everybody"
ALL: Any = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
TOOLS = {"run_tool": "trespass_in_a_task", "run_inline": "trespass_inline"}
TAPS = {"run_tool": "tap_in_a_task", "run_inline": "tap_inline"}
DENIED = {"AccessDenied", "AccessDeniedException"}
FORGED, OWN = "a forged ticket", "its own ticket"


def wait(caller: Client, task_id: str, statuses: Collection[str] = FINAL) -> None:
    until(lambda: caller.tasks_get(task_id)["status"] in statuses)


class Others:
    """The tasks of a colleague and of another tenant, one of each suspended and one ended, and all that there is."""

    def __init__(self, stack: Stack, subject: str) -> None:
        self.stack = stack
        self.own = Caller(tenant="acme", subject=subject)
        self.callers = [Caller(tenant="acme", subject=f"{subject} too"), Caller(tenant="rival", subject=subject)]
        self.clients = [client(stack.url, stack.token(each.tenant, each.subject)) for each in self.callers]
        self.tasks = [(each.start("await_consent"), each.start("repeat", text=LARGE)) for each in self.clients]
        for each, (asks, ends) in zip(self.clients, self.tasks, strict=True):
            wait(each, asks, {"input_required"})
            wait(each, ends)

    @property
    def owner_keys(self) -> list[str]:
        return [each.owner_key for each in self.callers]

    def items(self) -> list[dict[str, Any]]:
        """Return the items of the others, and the signing keys."""
        pages = self.stack.client("dynamodb").get_paginator("scan").paginate(TableName=self.stack.outputs["TableName"])
        return [item for page in pages for item in page["Items"] if item["PK"]["S"] in (*self.owner_keys, SYSTEM)]

    def objects(self) -> dict[str, str]:
        """Return the objects of the others, and a digest of each."""
        listed = self.stack.client("s3").list_objects_v2(Bucket=self.stack.outputs["PayloadBucket"])["Contents"]
        return {each["Key"]: each["ETag"] for each in listed if each["Key"].partition("/")[0] in self.owner_keys}

    def calls(self, runs_in: str) -> Iterator[dict[str, Any]]:
        """Yield every call that would read, write or start something of others."""
        for service, operation, params in (
            *self._of_items(),
            *self._of_table(),
            *self._of_objects(),
            *self._of_executions(),
            *self._of_functions(runs_in),
            *self._of_roles(),
        ):
            yield {"service": service, "operation": operation, "params": params}

    def _of_items(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        table = {"TableName": self.stack.outputs["TableName"]}
        kinds = {(item["PK"]["S"], item["SK"]["S"].partition("#")[0]): item for item in self.items()}
        for item in kinds.values():
            key = {"Key": {name: item[name] for name in ("PK", "SK")}}
            yield "dynamodb", "get_item", {**table, **key}
            yield "dynamodb", "delete_item", {**table, **key}
            yield "dynamodb", "update_item", {**table, **key, "UpdateExpression": "REMOVE version"}
            yield "dynamodb", "transact_get_items", {"TransactItems": [{"Get": {**table, **key}}]}
            yield "dynamodb", "transact_write_items", {"TransactItems": [{"Delete": {**table, **key}}]}
            yield "dynamodb", "batch_get_item", {"RequestItems": {table["TableName"]: {"Keys": [key["Key"]]}}}
        for owner_key in (*self.owner_keys, SYSTEM):
            query = {"KeyConditionExpression": "PK = :k", "ExpressionAttributeValues": {":k": {"S": owner_key}}}
            item = {"Item": {"PK": {"S": owner_key}, "SK": {"S": "task#made-up"}}}
            yield "dynamodb", "query", {**table, **query}
            yield "dynamodb", "put_item", {**table, **item}
            yield "dynamodb", "batch_write_item", {"RequestItems": {table["TableName"]: [{"PutRequest": item}]}}

    def _of_table(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        table = {"TableName": self.stack.outputs["TableName"]}
        live = {"KeyConditionExpression": "liveShard = :k", "ExpressionAttributeValues": {":k": {"S": "0"}}}
        stream = self.stack.client("dynamodb").describe_table(**table)["Table"]["LatestStreamArn"]
        yield "dynamodb", "scan", table
        yield "dynamodb", "query", {**table, **live, "IndexName": "live"}
        yield "dynamodb", "execute_statement", {"Statement": f'SELECT * FROM "{table["TableName"]}"'}
        yield "dynamodbstreams", "describe_stream", {"StreamArn": stream}

    def _of_objects(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        bucket = {"Bucket": self.stack.outputs["PayloadBucket"]}
        for key in self.objects():
            yield "s3", "get_object", {**bucket, "Key": key}
            yield "s3", "put_object", {**bucket, "Key": key, "Body": "mine"}
            yield "s3", "delete_object", {**bucket, "Key": key}
        yield "s3", "list_objects_v2", bucket

    def _of_executions(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        machines = self.stack.client("stepfunctions").list_state_machines()["stateMachines"]
        given = json.dumps({"scope": self.owner_keys[1], "task": self.tasks[1][0], "timeout": 1})
        for machine in machines:
            arn = {"stateMachineArn": machine["stateMachineArn"]}
            yield "stepfunctions", "start_execution", {**arn, "input": given}
            yield "stepfunctions", "list_executions", arn
            yield "stepfunctions", "describe_state_machine", arn
        for asks, _ in self.tasks:
            found = execution(self.stack, asks)
            assert found
            arn = {"executionArn": found["executionArn"]}
            yield "stepfunctions", "describe_execution", arn
            yield "stepfunctions", "get_execution_history", arn
            yield "stepfunctions", "stop_execution", arn
        for token in self._task_tokens():
            yield "stepfunctions", "send_task_success", {"taskToken": token, "output": "{}"}
            yield "stepfunctions", "send_task_failure", {"taskToken": token}

    def _task_tokens(self) -> list[str]:
        return [item["taskToken"]["S"] for item in self.items() if "taskToken" in item]

    def _of_functions(self, runs_in: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        given = json.dumps({"scope": self.owner_keys[1], "task": self.tasks[1][0], "attempt": 1, "token": "t"})
        for each in self.stack.client("lambda").list_functions()["Functions"]:
            for named in (each["FunctionName"], alias := live(each["FunctionName"])):
                if not (runs_in == "run_tool" and named == alias == live(function(self.stack, "host_run"))):
                    yield "lambda", "invoke", {"FunctionName": named, "Payload": given}
                yield "lambda", "get_function", {"FunctionName": named}
            group = {"logGroupName": each["LoggingConfig"]["LogGroup"]}
            yield "logs", "filter_log_events", group

    def _of_roles(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for role in self.stack.client("iam").list_roles()["Roles"]:
            yield "sts", "assume_role", {"RoleArn": role["Arn"], "RoleSessionName": "mine"}


@pytest.fixture(scope="module")
def others(stack: Stack) -> Others:
    return Others(stack, "hostile")


def tried(stack: Stack, others: Others, runs_in: str) -> Sequence[tuple[str, str]]:
    """Have the tool try everything, and return the names of the calls with what came of each."""
    hostile = client(stack.url, stack.token("acme", others.own.subject))
    calls = list(others.calls(runs_in))
    arguments = {"calls": calls, "owner_keys": others.owner_keys, "host": live(function(stack, "host_run"))}
    outcomes = json.loads(text_of(hostile, runs_in, arguments))
    names = [f"{call['service']} {call['operation']}" for call in calls]
    return list(zip([*names, *[FORGED] * (len(outcomes) - len(names) - 1), OWN], outcomes, strict=True))


def text_of(hostile: Client, runs_in: str, arguments: dict[str, Any]) -> str:
    if runs_in == "run_inline":
        found = hostile.result("tools/call", name=TOOLS[runs_in], arguments=arguments)
    else:
        task_id = hostile.start(TOOLS[runs_in], **arguments)
        wait(hostile, task_id)
        task = hostile.tasks_get(task_id)
        assert task["status"] == "completed", task
        found = task["result"]
    return str(found["content"][0]["text"])


@pytest.mark.parametrize("runs_in", TOOLS)
def test_it_reads_writes_and_starts_nothing_of_others(stack: Stack, others: Others, runs_in: str) -> None:
    before = others.items(), others.objects()
    outcomes = tried(stack, others, runs_in)

    print(f"{runs_in}: {len(outcomes)} tries, {Counter(outcome for _, outcome in outcomes)}")  # noqa: T201
    *foreign, own = outcomes
    assert own == (OWN, "done" if runs_in == "run_tool" else "has none")
    allowed = {FORGED: {*DENIED, "failed there"}}
    assert [(name, outcome) for name, outcome in foreign if outcome not in allowed.get(name, DENIED)] == []
    assert {FORGED, "dynamodb get_item", "s3 get_object", "lambda invoke"} <= {name for name, _ in foreign}
    assert (others.items(), others.objects()) == before


@contextmanager
def widened(stack: Stack, runs_in: str) -> Iterator[None]:
    """Permit the role of a function everything."""
    iam, lambdas = stack.client("iam"), stack.client("lambda")
    found = lambdas.get_function_configuration(FunctionName=function(stack, runs_in))
    role = found["Role"].rpartition("/")[2]
    iam.put_role_policy(RoleName=role, PolicyName=NAME, PolicyDocument=json.dumps(ALL))
    try:
        yield
    finally:
        iam.delete_role_policy(RoleName=role, PolicyName=NAME)


@pytest.mark.parametrize("runs_in", TOOLS)
def test_with_a_policy_that_is_wider_the_same_tries_succeed(stack: Stack, subject: str, runs_in: str) -> None:
    with widened(stack, runs_in):
        outcomes = tried(stack, Others(stack, subject), runs_in)

    print(f"{runs_in}, widened: {Counter(outcome for _, outcome in outcomes)}")  # noqa: T201
    done = {name for name, outcome in outcomes if outcome == "done"}
    assert {"dynamodb get_item", "dynamodb put_item", "s3 get_object", "stepfunctions start_execution"} <= done
    assert FORGED not in done


@pytest.mark.parametrize("runs_in", TAPS)
def test_one_that_patches_its_process_gets_no_token_of_another_tenant(
    stack: Stack, subject: str, tmp_path: Path, runs_in: str
) -> None:
    """It gets what the runs after it are given there, which `docs/security.md` says, and no caller's token."""
    file = tmp_path / "tapped"
    hostile, token = client(stack.url, stack.token("acme", subject)), stack.token("rival", subject)
    rival = client(stack.url, token)
    call = inline if runs_in == "run_inline" else run

    def in_one_process() -> bool:
        """Patch the process that is free, and see whether it runs the other tenant's call: it may be another one."""
        call(hostile, TAPS[runs_in], file=str(file))
        call(rival, TAPS[runs_in], file=f"{tmp_path}/theirs")
        return "theirs" in file.read_text()

    kill_functions(stack)
    try:
        until(in_one_process)
    finally:
        # What is killed at work is an error in the log of whichever test comes next.
        invocations_when_idle(stack)
        kill_functions(stack)

    tapped = file.read_text()
    assert [part for part in token.split(".") if part in tapped] == []
    assert "bearer" not in tapped.lower()


def inline(caller: Client, tool: str, **arguments: str) -> None:
    caller.result("tools/call", name=tool, arguments=arguments)


def run(caller: Client, tool: str, **arguments: str) -> None:
    task_id = caller.start(tool, **arguments)
    wait(caller, task_id)
