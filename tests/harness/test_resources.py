"""The harness makes what the state machines of tools bring, and names what it cannot make."""

from typing import Any

import pytest

from mcp_tasks.testing.state_machines.resources import CannotBeMade, client, make_resources
from tests.harness.tasks import DeployedTasks


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.tools_with_resources"


@pytest.fixture
def machines_module() -> str:
    return "tests.harness.machines_with_resources"


def brought(tasks: DeployedTasks, kind: str) -> str:
    (name,) = (name for name, of, _ in tasks.harness.template.brought() if of == kind)
    return name


def test_a_machine_has_its_function_its_table_its_queue_and_its_bucket(tasks: DeployedTasks) -> None:
    assert tasks.run("export", shards=3).text == "shard-1 shard-2 shard-3"

    items = client("dynamodb").scan(TableName=brought(tasks, "AWS::DynamoDB::GlobalTable"))["Items"]
    assert sorted(item["key"]["S"] for item in items) == ["shard-1", "shard-2", "shard-3"]
    assert len(_messages(brought(tasks, "AWS::SQS::Queue"))) == 3
    objects = client("s3").list_objects_v2(Bucket=brought(tasks, "AWS::S3::Bucket"))["Contents"]
    assert [found["Key"] for found in objects] == ["shard-1", "shard-2", "shard-3"]


def test_what_was_made_stays_when_the_template_is_made_again(tasks: DeployedTasks) -> None:
    before = tasks.run("export", shards=1)

    make_resources(tasks.harness.template)

    assert tasks.run("export", shards=1).text == before.text
    assert len(_messages(brought(tasks, "AWS::SQS::Queue"))) == 2


def _messages(queue: str) -> list[Any]:
    url = client("sqs").get_queue_url(QueueName=queue)["QueueUrl"]
    return list(client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"])


def test_what_a_machine_brings_and_moto_lacks_is_named_when_it_starts(tasks: DeployedTasks) -> None:
    with pytest.raises(
        CannotBeMade, match=r"streams brings WorkstreamsItems\w+, an AWS::Kinesis::Stream: here are made"
    ):
        tasks.start("streams")


def test_each_function_has_its_own_variables_also_in_a_map_of_express_executions(tasks: DeployedTasks) -> None:
    """Before and after a sleep, which none waits for that others do."""
    task = tasks.start("words")
    tasks.advance(seconds=10)

    assert task.result.text == "aoneonetwotwo boneonetwotwo"


def test_a_definition_that_moto_cannot_read_is_named_when_it_starts(tasks: DeployedTasks) -> None:
    with pytest.raises(CannotBeMade, match=r"local-batches cannot be made: moto rejects .*ItemBatcher"):
        tasks.start("batches")
