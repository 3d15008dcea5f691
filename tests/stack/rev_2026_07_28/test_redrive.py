"""`make redrive` on a deployed stack, with what waits in its dead-letter queue."""

import json
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit

from local.emulator import ROOT
from local.stack import Stack
from tests.protocol.rev_2026_07_28.over_http import Client
from tests.stack.internals import execution, function, live
from tests.timeout import until

REGION = "us-east-1"


def redrive(stack: Stack) -> subprocess.CompletedProcess[str]:
    """Run what `make redrive` runs."""
    port = str(urlsplit(stack.url).port)
    run = [sys.executable, "-m", "local.redrive", "--stack", "McpTaskExamples-local", "--port", port]
    return subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def give_up(stack: Stack, body: Any) -> None:
    """Put a message into the dead-letter queue."""
    stack.client("sqs").send_message(QueueUrl=stack.outputs["DeadLetterQueue"], MessageBody=json.dumps(body))


def arn(stack: Stack, name: str) -> str:
    return f"arn:aws:lambda:{REGION}:000000000000:function:{live(function(stack, name))}"


def changes(stack: Stack) -> dict[str, Any]:
    """Return the last shard of the table's stream as a batch that was given up."""
    streams, table = stack.client("dynamodbstreams"), stack.outputs["TableName"]
    (found,) = streams.list_streams(TableName=table)["Streams"]
    shard = streams.describe_stream(StreamArn=found["StreamArn"])["StreamDescription"]["Shards"][-1]
    asked = {"StreamArn": found["StreamArn"], "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    records = streams.get_records(ShardIterator=streams.get_shard_iterator(**asked)["ShardIterator"])["Records"]
    numbers = [each["dynamodb"]["SequenceNumber"] for each in records][-20:]
    return {
        "shardId": shard["ShardId"],
        "startSequenceNumber": numbers[0],
        "endSequenceNumber": numbers[-1],
        "batchSize": len(numbers),
        "streamArn": found["StreamArn"],
    }


def test_what_was_given_up_is_handled_once_more_and_is_gone_from_the_queue(stack: Stack, client_2026: Client) -> None:
    task_id = client_2026.start("await_consent")
    until(lambda: client_2026.tasks_get(task_id)["status"] == "input_required")
    found = execution(stack, task_id)
    assert found
    given = stack.client("stepfunctions").describe_execution(executionArn=found["executionArn"])["input"]
    detail = {"executionArn": found["executionArn"], "name": task_id, "status": "ABORTED", "input": given}
    event = {"source": "aws.states", "detail-type": "Step Functions Execution Status Change", "detail": detail}
    give_up(
        stack, {"requestContext": {"functionArn": arn(stack, "on_task_change")}, "DDBStreamBatchInfo": changes(stack)}
    )
    give_up(stack, {"requestContext": {"functionArn": arn(stack, "record_outcome")}, "requestPayload": event})
    give_up(stack, event)

    done = redrive(stack)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(f"was given the event of task {task_id}") == 2
    assert " was given " in done.stdout
    assert done.stdout.endswith("3 of 3 messages were handled, and are deleted\n")
    failed = client_2026.tasks_get(task_id)
    assert (failed["status"], failed["error"]["message"]) == ("failed", "The work was stopped.")

    again = redrive(stack)
    assert (again.returncode, again.stdout) == (0, "0 of 0 messages were handled, and are deleted\n")


def test_what_cannot_be_handled_stays_and_is_said(stack: Stack) -> None:
    give_up(stack, {"requestContext": {"functionArn": arn(stack, "record_outcome")}, "requestPayload": {"task": "t1"}})

    done = redrive(stack)

    assert done.returncode == 1
    assert "fails again with KeyError: its log says why" in done.stdout
    assert done.stdout.endswith("0 of 1 messages were handled, and are deleted\n")
    queue, sqs = stack.outputs["DeadLetterQueue"], stack.client("sqs")
    (left,) = sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=5)["Messages"]
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=left["ReceiptHandle"])
