"""Trouble between the functions and AWS, made at the boundary of the client library."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from botocore.awsrequest import AWSResponse

from mcp_tasks import bootstrap
from tests.stage.lambdas import FunctionDied

THROTTLED = {"Error": {"Code": "ThrottlingException", "Message": "Rate exceeded"}, "ResponseMetadata": {}}
REFUSED = {"Error": {"Code": "AccessDeniedException", "Message": "No"}, "ResponseMetadata": {}}
READS = ("GetItem", "Query", "GetObject", "DescribeExecution")
SERVICES = ("dynamodb", "s3", "stepfunctions")


@contextmanager
def throttled(operation: str) -> Iterator[list[str]]:
    """Have Step Functions refuse an operation while this lasts; what it yields fills with the calls."""
    calls: list[str] = []

    def refuse(**call: Any) -> tuple[AWSResponse, Any]:
        calls.append(operation)
        return AWSResponse("", 400, {}, None), THROTTLED

    events = bootstrap.client("stepfunctions").meta.events
    events.register(f"before-call.sfn.{operation}", refuse)
    try:
        yield calls
    finally:
        events.unregister(f"before-call.sfn.{operation}", refuse)


@contextmanager
def refused(operation: str, *, times: int) -> Iterator[list[str]]:
    """Have DynamoDB refuse so many calls of an operation for good; what it yields fills with the calls."""
    calls: list[str] = []

    def refuse(**call: Any) -> tuple[AWSResponse, Any] | None:
        calls.append(operation)
        return (AWSResponse("", 400, {}, None), REFUSED) if len(calls) <= times else None

    events = bootstrap.client("dynamodb").meta.events
    events.register(f"before-call.dynamodb.{operation}", refuse)
    try:
        yield calls
    finally:
        events.unregister(f"before-call.dynamodb.{operation}", refuse)


@contextmanager
def death(when: Literal["before", "after"], place: int | None = None) -> Iterator[list[str]]:
    """Let a function die right before or after a call to AWS that changes something: the one at that place, from 0.

    What it yields fills with the names of all such calls while this lasts.
    """
    calls: list[str] = []

    def die(model: Any, **call: Any) -> None:
        if model.name in READS:
            return
        calls.append(model.name)
        if len(calls) - 1 == place:
            raise FunctionDied

    clients = [bootstrap.client(service) for service in SERVICES]
    for client in clients:
        client.meta.events.register(f"{when}-call", die)
    try:
        yield calls
    finally:
        for client in clients:
            client.meta.events.unregister(f"{when}-call", die)
