"""What was given up is handled again, once what prevented it is over, and is deleted from the queue after that."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from local.dead_letters import DeadLetters, NotHandled
from local.redrive import Earlier, drain, reconciled
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.testing.state_machines.resources import client
from mcp_tasks.testing.state_machines.template import ACCOUNT, REGION
from tests.harness.executions import active, executions
from tests.harness.faults import refused
from tests.harness.harness import Harness
from tests.harness.tasks import DeployedTasks
from tests.harness.test_reconciliation import stop_all, unwatched


class Queue:
    """A dead-letter queue, with what waits in it."""

    def __init__(self, harness: Harness) -> None:
        self.sqs = client("sqs")
        self.url = self.sqs.create_queue(QueueName="dead")["QueueUrl"]
        functions = {
            each["Handler"].split(".")[1]: name for name, each in harness.template.ours("AWS::Lambda::Function")
        }
        self.functions, self._harness = functions, harness
        letters = DeadLetters(
            functions=frozenset(functions.values()),
            outcomes=functions["record_outcome"],
            invoke=self._invoke,
            streams=client("dynamodbstreams"),
        )
        table = Table(client=client("dynamodb"), name=harness.table.name, clock=Earlier())
        self._handle = reconciled(letters, table)

    def put(self, body: Any) -> None:
        """Give an event up."""
        self.sqs.send_message(QueueUrl=self.url, MessageBody=body if isinstance(body, str) else json.dumps(body))

    def changes(self, **other: Any) -> Mapping[str, Any]:
        """Return the message of all changes of the table so far, as Lambda writes it."""
        streams, arn = client("dynamodbstreams"), self._harness.template.stream(self._harness.table.name)
        (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        made = streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
        records = streams.get_records(ShardIterator=made["ShardIterator"])["Records"]
        numbers = [each["dynamodb"]["SequenceNumber"] for each in records]
        batch = {"shardId": shard["ShardId"], "startSequenceNumber": numbers[0], "endSequenceNumber": numbers[-1]}
        return {
            "requestContext": {"functionArn": self.arn("on_task_change"), "condition": "RetryAttemptsExhausted"},
            "version": "1.0",
            "DDBStreamBatchInfo": {**batch, "batchSize": len(numbers), "streamArn": arn, **other},
        }

    def arn(self, folder: str) -> str:
        return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.functions[folder]}:live"

    def redrive(self) -> list[tuple[bool, str]]:
        return list(drain(self.sqs, self.url, self._handle))

    @property
    def waiting(self) -> int:
        name = "ApproximateNumberOfMessages"
        return int(self.sqs.get_queue_attributes(QueueUrl=self.url, AttributeNames=[name])["Attributes"][name])

    def _invoke(self, name: str, event: Any) -> Any:
        payload, errored = self._harness.lambdas.invoke(name, event)
        if errored:
            raise NotHandled(f"{name} fails again")
        return json.loads(payload)


@pytest.fixture
def queue(tasks: DeployedTasks) -> Queue:
    return Queue(tasks.harness)


def test_a_change_that_was_given_up_starts_its_task_and_the_second_time_nothing(
    tasks: DeployedTasks, queue: Queue
) -> None:
    with refused("stepfunctions", "StartExecution"):
        task = tasks.start("slow", steps=1)
        assert tasks.harness.deliveries.lost.pop()
        queue.put(queue.changes())
        ((is_handled, said),) = queue.redrive()
        # It is as it was.
        assert (is_handled, task.id in said, queue.waiting, executions(tasks)) == (False, True, 1, [])

    ((is_handled, said),) = queue.redrive()
    assert (is_handled, task.id in said, queue.waiting) == (True, True, 0)
    tasks.advance(seconds=20)
    assert (executions(tasks), task.result.text) == (["SUCCEEDED"], "done")

    queue.put(queue.changes())
    assert [is_handled for is_handled, _ in queue.redrive()] == [True]
    assert (executions(tasks), task.result.text, active(tasks)) == (["SUCCEEDED"], "done", 0)


def test_an_end_that_was_given_up_ends_its_task_whoever_gave_it_up(tasks: DeployedTasks, queue: Queue) -> None:
    by_lambda, by_rule = (tasks.start("slow", steps=40) for _ in range(2))
    stop_all(tasks)
    tasks.harness.clock.run_until_idle()
    events = {
        json.loads(each["detail"]["input"])["task"]: each for each in tasks.harness.deliveries.execution_outcomes.poll()
    }
    context = {"functionArn": queue.arn("record_outcome"), "condition": "RetriesExhausted"}
    queue.put({"version": "1.0", "requestContext": context, "requestPayload": events[by_lambda.id]})
    queue.put(events[by_rule.id])

    for task in (by_lambda, by_rule):
        assert task.status == "working"
    done = queue.redrive()

    assert {(is_handled, task.id) for is_handled, said in done for task in (by_lambda, by_rule) if task.id in said} == {
        (True, by_lambda.id),
        (True, by_rule.id),
    }
    assert {task.message for task in (by_lambda, by_rule)} == {"The work was stopped."}
    assert (active(tasks), queue.waiting, queue.redrive()) == (0, 0, [])


@contextmanager
def trimmed() -> Iterator[None]:
    """Have the stream say that records are gone, as it does after a day."""
    error = {"Error": {"Code": "TrimmedDataAccessException", "Message": "gone"}, "ResponseMetadata": {}}

    def refuse(**call: Any) -> tuple[AWSResponse, Any]:
        return AWSResponse("", 400, {}, None), error

    events, event = client("dynamodbstreams").meta.events, "before-call.dynamodb-streams.GetShardIterator"
    events.register(event, refuse)
    yield
    events.unregister(event, refuse)


def test_records_that_are_gone_count_as_handled_once_the_sweep_has_checked_all_tasks(
    tasks: DeployedTasks, queue: Queue
) -> None:
    with refused("stepfunctions", "StartExecution"):
        task = tasks.start("slow", steps=1)
        assert tasks.harness.deliveries.lost.pop()
    queue.put(queue.changes())
    # No sweep comes.
    unwatched(tasks, minutes=30)
    with trimmed():
        ((is_handled, said),) = queue.redrive()
    assert (is_handled, "the sweep has not yet checked all tasks" in said, queue.waiting) == (False, True, 1)

    tasks.advance(minutes=6)
    assert task.status != "working"
    with trimmed():
        assert ([is_handled for is_handled, _ in queue.redrive()], queue.waiting) == ([True], 0)


@pytest.mark.parametrize(
    "body",
    [
        "no JSON",
        "[]",
        "{}",
        '{"requestPayload": {"task": "t1"}}',
        '{"requestContext": {"functionArn": "arn:aws:lambda:r:1:function:another"}, "requestPayload": {}}',
        '{"requestContext": {"functionArn": "arn:aws:lambda:r:1:function:another"}, "DDBStreamBatchInfo": {}}',
    ],
)
def test_what_nobody_here_is_given_stays(queue: Queue, body: str) -> None:
    queue.put(body)

    ((is_handled, said),) = queue.redrive()
    assert (is_handled, " stays: " in said, queue.waiting) == (False, True, 1)
