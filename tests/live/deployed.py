"""The stage that live tests look at, by the names in the environment, and what became of its executions."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import boto3

from local.http_client import HttpClient
from mcp_tasks.testing.client import NotATask
from tests.timeout import until

MACHINE = "AWS::StepFunctions::StateMachine"


def http_client() -> HttpClient:
    """Return a transport to the stage's URL, with the token of a subject."""
    return HttpClient(os.environ["MCP_URL"], os.environ["MCP_TOKEN"])


def from_environment(name: str) -> Any:
    """Return what a variable holds as JSON."""
    return json.loads(os.environ[name])


def executions() -> Mapping[str, str]:
    """Return the ARNs of the newest executions of the stack's state machines, by their names."""
    states, found = boto3.client("stepfunctions"), dict[str, str]()
    for machine in _machines():
        listed = states.list_executions(stateMachineArn=machine, maxResults=100)["executions"]
        found |= {each["name"]: each["executionArn"] for each in listed}
    return found


def run_as_task(client: Any, tool: str, arguments: Mapping[str, Any]) -> str:
    """Call a tool until it has returned, and return the ARN of its execution; nobody else may call the stage."""
    before = set(executions())
    # It may be done before the call is answered.
    with suppress(NotATask):
        client.start_task(tool, arguments).wait()
    # The list is of some moments ago.
    (name,) = until(lambda: set(executions()) - before, within=60)
    return executions()[name]


def history(execution: str) -> list[Mapping[str, Any]]:
    """Return the events of an execution so far."""
    pages = boto3.client("stepfunctions").get_paginator("get_execution_history").paginate(executionArn=execution)
    return [event for page in pages for event in page["events"]]


def states_entered(execution: str) -> list[str]:
    """Return the names of the states that an execution entered so far, in order."""
    return [event["stateEnteredEventDetails"]["name"] for event in history(execution) if "Entered" in event["type"]]


def status(execution: str) -> str:
    """Return the status of an execution."""
    return str(boto3.client("stepfunctions").describe_execution(executionArn=execution)["status"])


def _machines() -> Iterator[str]:
    pages = boto3.client("cloudformation").get_paginator("list_stack_resources")
    for page in pages.paginate(StackName=os.environ["MCP_STACK"]):
        for resource in page["StackResourceSummaries"]:
            if resource["ResourceType"] == MACHINE:
                yield resource["PhysicalResourceId"]
