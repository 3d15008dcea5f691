"""The dead letters of a stage: each message and each record of its batch is handled, or stays; none is lost."""

import json
from collections.abc import Generator, Iterator, Mapping
from typing import Any

import boto3
import pytest
from moto import mock_aws

from local.dead_letters import DeadLetters, NotHandled
from local.redrive import drain
from tests.cloud import REGION


@pytest.fixture
def sqs() -> Iterator[Any]:
    with mock_aws():
        yield boto3.client("sqs", region_name=REGION)


def test_all_messages_of_a_queue_are_handled_once_and_those_that_stay_wait_for_the_next(sqs: Any) -> None:
    queue = sqs.create_queue(QueueName="dead")["QueueUrl"]
    for number in range(25):
        sqs.send_message(QueueUrl=queue, MessageBody=str(number))
    handled: list[int] = []

    def handle(message: Mapping[str, Any]) -> str:
        handled.append(int(message["Body"]))
        if int(message["Body"]) % 3 == 0:
            raise NotHandled("it fails again")
        return "done"

    said = list(drain(sqs, queue, handle))

    assert sorted(handled) == list(range(25))
    assert sorted(is_handled for is_handled, _ in said) == [False] * 9 + [True] * 16
    handled.clear()
    assert [is_handled for is_handled, _ in drain(sqs, queue, handle)] == [False] * 9, "they can be had at once"
    assert sorted(handled) == [0, 3, 6, 9, 12, 15, 18, 21, 24]


def test_what_a_redrive_had_not_come_to_when_it_was_stopped_is_lost_to_nobody(sqs: Any) -> None:
    queue = sqs.create_queue(QueueName="dead", Attributes={"VisibilityTimeout": "0"})["QueueUrl"]
    for number in range(4):
        sqs.send_message(QueueUrl=queue, MessageBody=str(number))

    def refuse(message: Mapping[str, Any]) -> str:
        raise NotHandled("it fails again")

    stopped = drain(sqs, queue, refuse)
    assert [next(stopped)[0] for _ in range(3)] == [False, False, False]
    asked = {"QueueUrl": queue, "MaxNumberOfMessages": 10, "VisibilityTimeout": 0}
    assert "Messages" not in sqs.receive_message(**asked), "nobody else is given one meanwhile"
    assert isinstance(stopped, Generator)
    stopped.close()

    found = sqs.receive_message(**asked)["Messages"]
    assert len(found) == 3, "those that stay can be had at once, and the one that was not handled later"
    counts = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
    assert int(counts["ApproximateNumberOfMessagesNotVisible"]) == 1


class Shard:
    """A shard of the stream whose records are read in pages, some of which are empty."""

    def __init__(self, *pages: list[int]) -> None:
        self._pages = pages

    def get_shard_iterator(self, *, SequenceNumber: str, **_: Any) -> Mapping[str, str]:
        self._first = int(SequenceNumber)
        return {"ShardIterator": "0"}

    def get_records(self, *, ShardIterator: str) -> Mapping[str, Any]:
        page = int(ShardIterator)
        found = [each for each in self._pages[page] if each >= self._first]
        return {"Records": [change(each) for each in found], "NextShardIterator": str(page + 1)}


def change(number: int) -> dict[str, Any]:
    keys = {"PK": {"S": "acme#ada"}, "SK": {"S": f"task#t{number}"}}
    return {"dynamodb": {"SequenceNumber": str(number), "Keys": keys}}


@pytest.mark.parametrize(("first", "last"), [(3, 9), (3, 3), (5, 8), (9, 9)])
@pytest.mark.parametrize("pages", [[[1, 3], [], [5, 7, 8], [], [], [9, 11]], [[1, 3, 5, 7, 8, 9, 11]]])
def test_a_message_has_the_records_of_its_batch_handled_and_no_others(
    first: int, last: int, pages: list[list[int]]
) -> None:
    """The shard ends after the pages, so that reading on after the batch is an error."""
    given: list[int] = []

    def invoke(name: str, event: Any) -> Any:
        (record,) = event["Records"]
        given.append(int(record["dynamodb"]["SequenceNumber"]))
        return {"batchItemFailures": []}

    letters = DeadLetters(functions=frozenset({"f"}), outcomes="o", invoke=invoke, streams=Shard(*pages))
    batch = {"shardId": "s", "streamArn": "a", "startSequenceNumber": str(first), "endSequenceNumber": str(last)}
    context = {"functionArn": "arn:aws:lambda:r:1:function:f:live"}
    body = {"requestContext": context, "DDBStreamBatchInfo": batch}

    letters.handle({"Body": json.dumps(body)})

    assert given == [each for each in (1, 3, 5, 7, 8, 9, 11) if first <= each <= last]


@pytest.mark.parametrize("failing", [3, 5, 9])
def test_a_message_stays_whichever_of_its_records_fails(failing: int) -> None:
    given: list[int] = []

    def invoke(name: str, event: Any) -> Any:
        number = int(event["Records"][0]["dynamodb"]["SequenceNumber"])
        given.append(number)
        return {"batchItemFailures": [{"itemIdentifier": str(number)}] if number == failing else []}

    letters = DeadLetters(functions=frozenset({"f"}), outcomes="o", invoke=invoke, streams=Shard([3, 5], [], [9]))
    batch = {"shardId": "s", "streamArn": "a", "startSequenceNumber": "3", "endSequenceNumber": "9"}
    context = {"functionArn": "arn:aws:lambda:r:1:function:f:live"}

    with pytest.raises(NotHandled, match=f"the change of task t{failing}"):
        letters.handle({"Body": json.dumps({"requestContext": context, "DDBStreamBatchInfo": batch})})
    assert given == [each for each in (3, 5, 9) if each <= failing]
