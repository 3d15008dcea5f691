"""An outage of services of AWS, as the whole server on the harness meets it."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Final

from botocore.awsrequest import AWSResponse
from moto.stepfunctions.parser.asl.utils.boto_client import boto_client_for

from mcp_tasks.testing.state_machines.template import REGION
from tests.harness.faults import outage
from tests.harness.tasks import DeployedTasks

SERVICES: Final = ("dynamodb", "stepfunctions", "lambda", "dynamodbstreams", "s3")


@contextmanager
def refusing_states() -> Iterator[None]:
    """Have Lambda refuse what state machines invoke."""
    answer = {
        "Error": {"Code": "TooManyRequestsException", "Message": "Rate exceeded"},
        "ResponseMetadata": {"HTTPStatusCode": 429, "RequestId": "1"},
    }
    events = boto_client_for(REGION, "lambda").meta.events

    def refuse(**call: object) -> object:
        return AWSResponse("", 429, {}, None), answer

    events.register("before-call.lambda.Invoke", refuse)
    try:
        yield
    finally:
        events.unregister("before-call.lambda.Invoke", refuse)


def away(tasks: DeployedTasks, services: tuple[str, ...], lasting: timedelta) -> None:
    """Have services be away for so long from now on: return when they are back."""
    deliveries = tasks.harness.deliveries
    with ExitStack() as stack:
        for service in services:
            stack.enter_context(outage(service, lasting=lasting))
        if "lambda" in services:
            stack.enter_context(refusing_states())
        deliveries.away.update(services)
        tasks.harness.advance(lasting)
        deliveries.away.clear()
