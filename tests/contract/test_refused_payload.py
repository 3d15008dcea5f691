"""A run whose arguments S3 refuses is repeated: a permission may be missing for the time of a deploy."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.tasks.model import Returned, State
from tests.cloud import Cloud
from tests.contract.aws_environment import AwsEnvironment, repeat
from tests.contract.faults import FaultyClient
from tests.kit import ADA, FixedClock


def refuse(operation: str, request: Any) -> None:
    if operation == "get_object":
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": ""}}, operation)


def test_a_task_whose_arguments_may_not_be_read_at_present_works_until_they_may(aws: Cloud, clock: FixedClock) -> None:
    environment = AwsEnvironment.of(aws, clock)
    refused = replace(environment, aws=replace(aws, s3=FaultyClient(aws.s3, refuse)))
    text = "x" * 20_000
    task = environment.process().tasks.start(ADA, repeat, {"text": text}, ttl=timedelta(hours=1))

    with pytest.raises(RunInterrupted):
        refused.process().runner.run(ADA.owner_key, task.id)
    assert environment.process().tasks.get(ADA, task.id).state is State.WORKING

    environment.process().runner.run(ADA.owner_key, task.id)
    outcome = environment.process().tasks.outcome(ADA, task.id)
    assert isinstance(outcome, Returned)
    assert outcome.result["content"][0]["text"] == text
