"""The paths behind the direct one: are they connected, and does each give up some time?"""

import json
from datetime import timedelta
from typing import Any

from mcp_tasks.limits.waits import LONGEST_SWEEP
from mcp_tasks.testing.reconciliation import BETWEEN_SWEEPS
from tests.infra.assembly import Assembly, flat

TASKS = {"dynamodb": {"Keys": {"SK": {"S": [{"prefix": "task#"}]}}}}
INBOX = {"Keys": {"SK": {"S": [{"prefix": "inbox#"}]}}}
NEW_APPROVALS = {"eventName": ["INSERT"], "dynamodb": INBOX}
REMINDERS = {"eventName": ["MODIFY"], "dynamodb": {**INBOX, "NewImage": {"notices": {"N": [{"exists": True}]}}}}


def test_the_stream_is_followed_of_tasks_and_of_approvals_that_people_are_told_of_alone(
    cloud: Assembly,
) -> None:
    (mapping,) = cloud.of("AWS::Lambda::EventSourceMapping").values()

    (name, alias) = mapping["FunctionName"]["Fn::Join"][1]
    assert "FunctionsontaskchangeLive" in str(name)
    assert alias == ":live"
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["TasksTable", "StreamArn"]}
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert patterns(mapping) == [TASKS, NEW_APPROVALS, REMINDERS]


def test_where_no_tool_asks_others_nobody_is_told_and_nothing_may_tell(sampled: Assembly) -> None:
    (mapping,) = sampled.of("AWS::Lambda::EventSourceMapping").values()

    assert patterns(mapping) == [TASKS]
    template = json.dumps(sampled.resources)
    assert "NOTIFICATIONS" not in template
    assert "events:PutEvents" not in template


def test_who_is_told_is_told_by_the_default_bus_with_the_address_of_the_console(cloud: Assembly) -> None:
    functions = cloud.of("AWS::Lambda::Function")
    told = {name: each["Environment"]["Variables"].get("NOTIFICATIONS") for name, each in functions.items()}
    ((name, variable),) = ((name, found) for name, found in told.items() if found)

    assert name == "Functionsontaskchange"
    known = json.loads(flat(variable))
    assert known == {
        "bus": "arn:<AWS::Partition>:events:<AWS::Region>:<AWS::AccountId>:event-bus/default",
        "server": "McpTaskExamples-dev",
        "console": "https://<EndpointApi>.execute-api.<AWS::Region>.<AWS::URLSuffix>/dev/",
    }


def patterns(mapping: Any) -> list[Any]:
    return [json.loads(each["Pattern"]) for each in mapping["FilterCriteria"]["Filters"]]


def test_a_record_that_always_fails_is_isolated_and_sent_to_the_dead_letter_queue(cloud: Assembly) -> None:
    (mapping,) = cloud.of("AWS::Lambda::EventSourceMapping").values()

    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["MaximumRetryAttempts"] == 1_000
    assert mapping["MaximumRecordAgeInSeconds"] == 3_600
    assert mapping["ParallelizationFactor"] > 1
    assert mapping["DestinationConfig"]["OnFailure"]["Destination"] == {"Fn::GetAtt": ["DeadLettersQueue", "Arn"]}


def test_every_end_of_an_execution_is_matched_by_the_rule(cloud: Assembly) -> None:
    rule = cloud.of("AWS::Events::Rule")["ExecutionOutcomesEnded"]
    pattern = rule["EventPattern"]
    (target,) = rule["Targets"]

    assert pattern["source"] == ["aws.states"]
    assert pattern["detail-type"] == ["Step Functions Execution Status Change"]
    assert set(pattern["detail"]["status"]) == {"FAILED", "TIMED_OUT", "ABORTED", "SUCCEEDED"}
    assert {flat(arn).rpartition(":")[2] for arn in pattern["detail"]["stateMachineArn"]} == {
        machine["StateMachineName"] for machine in cloud.of("AWS::StepFunctions::StateMachine").values()
    }
    assert target["Arn"] == {"Ref": "FunctionsrecordoutcomeLive"}
    assert target["DeadLetterConfig"] == {"Arn": {"Fn::GetAtt": ["DeadLettersQueue", "Arn"]}}
    assert target["RetryPolicy"] == {"MaximumEventAgeInSeconds": 21600, "MaximumRetryAttempts": 10}


def test_a_sweep_starts_every_five_minutes_and_is_over_before_the_next(cloud: Assembly) -> None:
    rule = cloud.of("AWS::Events::Rule")["RepairsSweep"]
    (target,) = rule["Targets"]

    assert rule["ScheduleExpression"] == "rate(5 minutes)"
    assert timedelta(minutes=5) == BETWEEN_SWEEPS, "tests of tools are swept as often"
    assert target["Arn"] == {"Ref": "FunctionssweepLive"}
    timeout = timedelta(seconds=cloud.of("AWS::Lambda::Function")["Functionssweep"]["Timeout"])
    assert LONGEST_SWEEP + timedelta(seconds=20) < timeout < BETWEEN_SWEEPS, "what was begun in time is finished"
