"""Trouble between the functions and AWS, made at the boundary of the client library."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import product
from math import inf
from typing import Any, Literal

import pytest
from botocore.awsrequest import AWSResponse

from mcp_tasks import aws
from mcp_tasks.testing.state_machines.lambdas import FunctionDied
from tests.slow import one_in

REFUSED = {"Error": {"Code": "AccessDeniedException", "Message": "No"}, "ResponseMetadata": {}}
THROTTLED = {"Error": {"Code": "ProvisionedThroughputExceededException", "Message": "No"}, "ResponseMetadata": {}}
THROTTLING = {
    "dynamodb": "ProvisionedThroughputExceededException",
    "dynamodbstreams": "ThrottlingException",
    "lambda": "TooManyRequestsException",
    "s3": "SlowDown",
    "stepfunctions": "ThrottlingException",
}
READS = ("GetItem", "Query", "GetObject", "DescribeExecution", "ListExecutions")
SERVICES = ("dynamodb", "s3", "stepfunctions", "lambda")
NETWORKS = (aws.NETWORK, aws.MORE_RETRIES, aws.TO_HOST, aws.TO_RUN)


@contextmanager
def refused(service: str, operation: str, *, times: float = inf) -> Iterator[list[str]]:
    """Have a service refuse an operation, so many times at most; what it yields fills with the calls."""
    calls: list[str] = []

    def refuse(**call: Any) -> tuple[AWSResponse, Any] | None:
        calls.append(operation)
        return (AWSResponse("", 400, {}, None), REFUSED) if len(calls) <= times else None

    metas = [aws.client(service, network).meta for network in NETWORKS]
    event = f"before-call.{metas[0].service_model.service_id.hyphenize()}.{operation}"
    for meta in metas:
        meta.events.register(event, refuse)
    try:
        yield calls
    finally:
        for meta in metas:
            meta.events.unregister(event, refuse)


@contextmanager
def slowed(service: str, operation: str, *, by: timedelta) -> Iterator[None]:
    """Have a service take that long for each call of an operation."""

    def wait(**call: Any) -> None:
        aws.clock.sleep(by)

    metas = [aws.client(service, network).meta for network in NETWORKS]
    event = f"before-call.{metas[0].service_model.service_id.hyphenize()}.{operation}"
    for meta in metas:
        meta.events.register(event, wait)
    try:
        yield
    finally:
        for meta in metas:
            meta.events.unregister(event, wait)


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

    clients = [aws.client(service, network) for service in SERVICES for network in NETWORKS]
    for client in clients:
        client.meta.events.register(f"{when}-call", die)
    try:
        yield calls
    finally:
        for client in clients:
            client.meta.events.unregister(f"{when}-call", die)


def places(calls: tuple[str, ...]) -> pytest.MarkDecorator:
    """Run a test with a death before and after each of these calls; one death in fifteen is not slow."""
    cases = one_in(15, product(range(len(calls)), ("before", "after")))
    return pytest.mark.parametrize(
        ("place", "when"), [pytest.param(place, when, marks=marks) for (place, when), marks in cases]
    )


@contextmanager
def outage(service: str, *, lasting: timedelta) -> Iterator[None]:
    """Have a service throttle every call for so long from now on, each of which takes a second to fail.

    It ends by itself, so that the block may be shorter or longer.
    """
    ends = aws.clock.now() + lasting
    throttled = {
        "Error": {"Code": THROTTLING[service], "Message": "No"},
        "ResponseMetadata": {"HTTPStatusCode": 429, "RequestId": "1"},
    }

    def throttle(**call: Any) -> tuple[AWSResponse, Any] | None:
        if aws.clock.now() >= ends:
            return None
        aws.clock.sleep(timedelta(seconds=1))
        return AWSResponse("", 400, {}, None), throttled

    metas = [aws.client(service, network).meta for network in (*NETWORKS, aws.NO_RETRIES, aws.TO_INLINE)]
    event = f"before-call.{metas[0].service_model.service_id.hyphenize()}"
    for meta in metas:
        meta.events.register(event, throttle)
    try:
        yield
    finally:
        for meta in metas:
            meta.events.unregister(event, throttle)
