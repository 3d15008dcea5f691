"""Each alarm goes off for its own fault, and no other does; faults are those of the real functions, or AWS's own."""

import json
import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest

from local.issuer import Issuer
from mcp_tasks import aws
from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.authoring.errors import McpError
from mcp_tasks.tasks.named_plans import Grant
from mcp_tasks.testing.state_machines.handlers import imported
from mcp_tasks.testing.state_machines.resources import client
from tests.alarms.cloudwatch import CloudWatch
from tests.alarms.observed import SCHEDULED, Observed
from tests.authorizer import request
from tests.checkout import ROOT
from tests.functions.test_anchor_audit import Deployed
from tests.functions.test_anchor_audit import deployed as deployed
from tests.functions.test_anchor_audit import written as written
from tests.harness.faults import outage, refused, slowed
from tests.harness.logs import Lines, kept
from tests.harness.tasks import DeployedTasks
from tests.harness.test_damaged_journal import overwrite
from tests.harness.test_reconciliation import stop_all
from tests.kit import ADA

SECOND = timedelta(seconds=1)
Fault = Callable[[DeployedTasks, Observed], None]
FAULTS: dict[str, Fault] = {}


def fault(alarm: str) -> Callable[[Fault], Fault]:
    """Register a fault by the alarm that it sets off."""

    def register(plant: Fault) -> Fault:
        FAULTS[alarm] = plant
        return plant

    return register


@fault("InternalErrors")
def a_table_that_refuses_reads(tasks: DeployedTasks, observed: Observed) -> None:
    task = tasks.start("slow", steps=1)
    with refused("dynamodb", "GetItem"), pytest.raises(McpError):
        task.client.get_task(task.id)


@fault("EndpointFails")
def a_table_that_refuses_reads_of_those_who_get_no_message(tasks: DeployedTasks, observed: Observed) -> None:
    for _ in range(5):
        observed.put("AWS/ApiGateway", "5XXError", **observed.api)


@fault("AnswersAreSlow")
def a_table_that_is_slow(tasks: DeployedTasks, observed: Observed) -> None:
    task = tasks.start("slow", steps=1)
    tasks.advance(minutes=1)
    for _ in range(3):
        with slowed("dynamodb", "GetItem", by=4 * SECOND):
            task.onlooker.get_task(task.id)
        tasks.advance(minutes=5)


@fault("KeysAreNotFetched")
def an_issuer_that_is_away(tasks: DeployedTasks, observed: Observed) -> None:
    with TemporaryDirectory() as home, Issuer(home=Path(home)) as issuer:
        token = issuer.token("acme", "ada")
        variables = {"ISSUER": issuer.issuer, "AUDIENCE": issuer.audience, "JWKS_URL": issuer.jwks_url}
    name = observed.function("authorize")
    (function,) = (each for known, each in observed.harness.template.ours("AWS::Lambda::Function") if known == name)
    for _ in range(3):
        # Another process each time: one asks again after some seconds of real time only.
        observed.load(name, imported(function, variables))
        with patch.dict(os.environ, variables):
            said, errored = observed.harness.lambdas.invoke(name, request(f"Bearer {token}"))
        assert (errored, json.loads(said)["errorType"]) == (True, "KeysUnavailable")


@fault("FunctionsAreThrottled")
def more_requests_than_the_account_has_concurrency_for(tasks: DeployedTasks, observed: Observed) -> None:
    for folder in ("serve_mcp", "authorize"):
        observed.put("AWS/Lambda", "Throttles", 5, FunctionName=observed.function(folder))


@fault("RunsFail")
def a_tool_that_kills_its_process(tasks: DeployedTasks, observed: Observed) -> None:
    for _ in range(3):
        assert tasks.run("frail", deaths=2).text == "attempt 3"


@fault("RunsAreInterrupted")
def a_table_that_is_throttled_under_runs(tasks: DeployedTasks, observed: Observed) -> None:
    started = [tasks.start("slow", steps=1) for _ in range(5)]
    tasks.advance(seconds=5)
    with outage("dynamodb", lasting=timedelta(minutes=2)):
        tasks.advance(minutes=4)
    assert {task.status for task in started} == {"completed"}


@fault("ExecutionsDoNotStart")
def step_functions_refuses_what_the_endpoint_starts(tasks: DeployedTasks, observed: Observed) -> None:
    for _ in range(5):
        with refused("stepfunctions", "StartExecution"):
            tasks.client().start_task("slow", {"steps": 1})
        tasks.harness.run_until_idle()


@fault("TasksQueueTooLong")
def more_tasks_than_may_run(tasks: DeployedTasks, observed: Observed) -> None:
    table = Table(client=client("dynamodb"), name=tasks.harness.table.name, clock=tasks.harness.clock)
    PlanItems(table=table).write(ADA.tenant, Grant(overrides={"running_tasks": 1}), replacing=0)
    started = [tasks.start("slow", steps=20) for _ in range(12)]
    tasks.advance(minutes=41)
    assert {task.status for task in started} == {"completed"}


@fault("SweepRepairs")
def executions_of_whose_end_no_event_tells(tasks: DeployedTasks, observed: Observed) -> None:
    for _ in range(3):
        tasks.start("slow", steps=40)
    stop_all(tasks)
    tasks.harness.clock.run_until_idle()
    assert len(list(tasks.harness.deliveries.execution_outcomes.poll())) == 3
    tasks.advance(minutes=6)


@fault("SweepDoesNotRun")
def a_schedule_that_is_off(tasks: DeployedTasks, observed: Observed) -> None:
    del observed.scheduled["sweep"]


@fault("AuditIsNotAnchored")
def a_schedule_of_anchors_that_is_off(tasks: DeployedTasks, observed: Observed) -> None:
    del observed.scheduled["anchor_audit"]


@fault("AnchoringFails")
def a_function_that_anchors_nothing(tasks: DeployedTasks, observed: Observed) -> None:
    for _ in range(20):
        observed.cloudwatch.invoked(observed.function("anchor_audit"), tasks.harness.clock.now(), failed=True)
        tasks.advance(minutes=1)


@fault("ItemsAreUnreadable")
def a_damaged_item(tasks: DeployedTasks, observed: Observed) -> None:
    damaged = tasks.start("curious", batches=[["a"]])
    overwrite(tasks, damaged, "task", state={"S": "asleep"})
    with pytest.raises(McpError):
        damaged.client.get_task(damaged.id)


@fault("StreamIsBehind")
def a_stream_that_is_read_late(tasks: DeployedTasks, observed: Observed) -> None:
    for _ in range(2):
        observed.put("AWS/Lambda", "IteratorAge", 180_000, FunctionName=observed.function("on_task_change"))
        tasks.advance(minutes=5)


@fault("DeadLettersWait")
def an_event_that_was_given_up(tasks: DeployedTasks, observed: Observed) -> None:
    (queue,) = (name for name, _ in observed.cloudwatch.template.of_type("AWS::SQS::Queue"))
    observed.put("AWS/SQS", "ApproximateNumberOfMessagesVisible", 1, QueueName=queue)


@fault("TableIsThrottled")
def more_writes_than_the_table_takes(tasks: DeployedTasks, observed: Observed) -> None:
    observed.put("AWS/DynamoDB", "WriteThrottleEvents", 10, TableName=observed.harness.table.name)


@pytest.mark.parametrize("alarm", FAULTS)
def test_a_fault_sets_off_its_alarm_alone(tasks: DeployedTasks, observed: Observed, alarm: str) -> None:
    FAULTS[alarm](tasks, observed)

    assert observed.went_off() == {alarm}


def test_a_record_that_was_altered_sets_off_the_alarm_of_the_audit(
    cloudwatch: CloudWatch, deployed: Deployed, written: Callable[[int], list[str]]
) -> None:
    one, two = written(2)

    altered = two.replace('"tenant": "acme"', '"tenant": "rival"')
    assert went_off_by(cloudwatch, deployed, one, altered) == {"AuditIsBroken"}


def test_records_that_are_written_while_the_table_refuses_reads_are_unproven_and_not_broken(
    cloudwatch: CloudWatch, deployed: Deployed, written: Callable[[int], list[str]]
) -> None:
    before = written(2)
    with refused("dynamodb", "GetItem"):
        meanwhile = written(2)

    assert went_off_by(cloudwatch, deployed, *before, *meanwhile) == {"AuditIsUnproven"}


def went_off_by(cloudwatch: CloudWatch, deployed: Deployed, *lines: str) -> set[str]:
    """Return the alarms that go off where audit records are anchored that were logged so."""
    began, logged = aws.clock.now(), Lines()
    deployed.log("changes", *lines)
    with kept(logged):
        deployed.handler({}, None)
    for line in logged.lines:
        cloudwatch.log(cloudwatch.function("anchor_audit"), line, began)
    ended = began + timedelta(hours=3)
    cloudwatch.scheduled(began, ended, SCHEDULED)
    return cloudwatch.went_off(began, ended)


def test_each_alarm_has_its_fault(cloudwatch: CloudWatch) -> None:
    assert cloudwatch.alarms.keys() == {*FAULTS, "AuditIsBroken", "AuditIsUnproven"}


def test_each_alarm_leads_to_its_section_of_the_runbooks_and_each_section_is_an_alarms(cloudwatch: CloudWatch) -> None:
    page = Path("docs/operations.md")
    sections = re.findall(r"^### (Runbook: .*)$", (ROOT / page).read_text(), re.MULTILINE)
    anchors = {f"{page}#{section.lower().replace(':', '').replace(' ', '-')}" for section in sections}
    linked = [each["AlarmDescription"].rpartition(" ")[2] for each in cloudwatch.alarms.values()]

    assert sorted(linked) == sorted(anchors)
