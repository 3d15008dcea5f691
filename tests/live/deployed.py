"""The stage that live tests look at: what its stack is made of, who calls it, and what becomes of its executions."""

import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import Any, Final, Self

import boto3
import pytest

from local.http_client import HttpClient
from mcp_tasks.testing.client import RESPONDS, Client, InputRequest, NotATask, Responder, Task, Transport
from tests import timeout

MACHINE: Final = "AWS::StepFunctions::StateMachine"
FUNCTION: Final = "AWS::Lambda::Function"
SECONDS: Final = 120
"""How long tests wait for what AWS does by itself within seconds."""

until = partial(timeout.until, within=SECONDS, pause=1)
"""Waits for a condition, and asks AWS as seldom as its quotas have it."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A deployed stack, and the tokens of who calls it."""

    stack: str
    outputs: Mapping[str, str]
    resources: Mapping[str, Sequence[str]]
    """The physical ids of its resources, by their types."""

    @classmethod
    def of_environment(cls) -> Self:
        """Return the stage whose stack is named by `STACK`."""
        cloudformation, name = boto3.client("cloudformation"), os.environ["STACK"]
        (found,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
        resources = defaultdict(list)
        for page in cloudformation.get_paginator("list_stack_resources").paginate(StackName=name):
            for each in page["StackResourceSummaries"]:
                resources[each["ResourceType"]].append(each["PhysicalResourceId"])
        outputs = {each["OutputKey"]: each["OutputValue"] for each in found["Outputs"]}
        return cls(stack=name, outputs=outputs, resources=resources)

    @property
    def url(self) -> str:
        """Return the address of the MCP endpoint: that of the stack, unless `URL` is another one."""
        return os.environ.get("URL") or self.outputs["Url"]

    def http(self, token: str = "TOKEN") -> HttpClient:
        """Return a transport with the token that a variable holds."""
        return HttpClient(self.url, os.environ[token])

    def client(
        self, revision: str, responder: Responder | None = None, *, transport: Transport | None = None
    ) -> Client:
        """Return a client of a revision, with the token of `TOKEN` unless it has another transport."""
        module = import_module(f"mcp_tasks.testing.{revision}")
        made: Client = module.Client(
            transport or self.http().send,
            {**RESPONDS, **module.TASKS},
            responder=responder,
            sleep=lambda duration: time.sleep(duration.total_seconds()),
        )
        return made

    @cached_property
    def functions(self) -> Mapping[str, Mapping[str, Any]]:
        """The configurations of the server's functions, by the names of their folders."""
        lambdas = boto3.client("lambda")
        found = [lambdas.get_function_configuration(FunctionName=each) for each in self.resources[FUNCTION]]
        handlers = ((each["Handler"].split("."), each) for each in found)
        return {path[1]: each for path, each in handlers if path[0] == "functions"}

    def executions(self, **filters: str) -> Mapping[str, str]:
        """Return the ARNs of the newest executions of the state machines, by their names."""
        states, found = boto3.client("stepfunctions"), dict[str, str]()
        for machine in self.resources[MACHINE]:
            listed = states.list_executions(stateMachineArn=machine, maxResults=100, **filters)["executions"]
            found |= {each["name"]: each["executionArn"] for each in listed}
        return found

    def execution_of(self, task: Task) -> str:
        """Return the ARN of a task's execution, once it is listed."""
        return until(lambda: self.executions().get(task.id))

    def run_as_task(self, client: Client, tool: str, **arguments: Any) -> str:
        """Call a tool until it has returned, and return the ARN of its execution; nobody else may call the stage."""
        before = set(self.executions())
        # It may be done before the call is answered.
        with suppress(NotATask):
            client.start_task(tool, arguments).wait()
        # The list is of some moments ago.
        (name,) = until(lambda: set(self.executions()) - before)
        return self.executions()[name]


def needs(found: object, sentence: str) -> None:
    """Skip a test where the stage has not what it looks at; the sentence says what to set."""
    if not found:
        pytest.skip(sentence)


def accept(request: InputRequest) -> Any:
    """Answer the question of the tool `ask`."""
    return {"action": "accept", "content": {"really": True}}


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


def ended(execution: str) -> str:
    """Wait for the end of an execution, and return its status."""
    until(lambda: status(execution) != "RUNNING")
    return status(execution)
