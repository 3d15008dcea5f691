"""What waits in a stage's dead-letter queue: events that a function was to handle, as AWS writes them there.

    from                         the body                                    what is handed over again
    the table's stream           where a batch of records lies in a shard    those of tasks and approvals
    Lambda's queue of events     `requestPayload`, with what it ended in     the payload
    EventBridge                  the event itself                            the same

Records of the stream last a day.  Functions may be given an event again, late and in any order: what is stored decides.
"""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from botocore.exceptions import ClientError

from mcp_tasks.adapters.dynamodb.items import owner_and_id

Invoke: TypeAlias = Callable[[str, Any], Any]
"""Invokes the function of that name with an event, and returns its answer; raises `NotHandled`."""

GONE = ("TrimmedDataAccessException", "ResourceNotFoundException")


class NotHandled(Exception):
    """A message stays in the queue; the text says why."""


class RecordsGone(Exception):
    """The records of a message are in the stream no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetters:
    """Hands messages to those of a stage's functions that were to handle them.

    `outcomes` is the function of EventBridge's rule, whose messages are the event alone.
    """

    functions: frozenset[str]
    outcomes: str
    invoke: Invoke
    streams: Any

    def handle(self, message: Mapping[str, Any]) -> str:
        """Have a message handled, and return what was done; raises `NotHandled`, and `RecordsGone`."""
        try:
            body = json.loads(message["Body"])
            if "DDBStreamBatchInfo" in body:
                return self._changes(self._function(body), body["DDBStreamBatchInfo"])
            if "requestPayload" in body:
                return self._event(self._function(body), body["requestPayload"])
            if body.get("detail-type"):
                return self._event(self.outcomes, body)
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        raise NotHandled("this is nothing that a function of the stage is given")

    def _function(self, body: Mapping[str, Any]) -> str:
        name = str(body["requestContext"]["functionArn"]).rpartition(":function:")[2].partition(":")[0]
        if name not in self.functions:
            raise NotHandled(f"{name} is no function of the stage")
        return name

    def _event(self, name: str, event: Mapping[str, Any]) -> str:
        self.invoke(name, event)
        return f"{name} was given the event of {_task_of(event)}"

    def _changes(self, name: str, batch: Mapping[str, Any]) -> str:
        changes = [(_changed(each), each) for each in _followed(_records(self.streams, batch))]
        for changed, record in changes:
            # One by one, so that none is refused for the size of the others.
            if not self._handles(name, record):
                raise NotHandled(f"{name} fails again with the change of {changed}: its log says why")
        all_changed = ", ".join(dict.fromkeys(changed for changed, _ in changes))
        return f"{name} was given {len(changes)} changes, of {all_changed or 'no task'}"

    def _handles(self, name: str, record: Mapping[str, Any]) -> bool:
        try:
            answer = self.invoke(name, {"Records": [record]})
        except NotHandled:
            # So it ends where all records of a batch fail.
            return False
        return not answer["batchItemFailures"]


def _task_of(event: Mapping[str, Any]) -> str:
    """Return which task the end of an execution is about, or what is known of it."""
    detail = event.get("detail", {})
    given = json.loads(detail["input"]) if detail.get("input") else event
    return f"task {given['task']}" if "task" in given else f"execution {detail.get('name', 'unknown')}"


def _changed(record: Mapping[str, Any]) -> str:
    """Return what a record of the stream is about; what is before the place of an approval may name a subject."""
    keys = record["dynamodb"]["Keys"]
    if keys["SK"]["S"].startswith("inbox#"):
        return f"approval {keys['SK']['S'].rpartition('#')[2]}"
    return f"task {owner_and_id(keys)[1]}"


def _followed(records: Iterator[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the records of tasks and approvals, as Lambda writes them: of no others does its filter let any through."""
    for record in records:
        if record["dynamodb"]["Keys"]["SK"].get("S", "").startswith(("task#", "inbox#")):
            yield _plain(record)


def _records(streams: Any, batch: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the records of a batch; raises `RecordsGone`."""
    last = int(batch["endSequenceNumber"])
    try:
        iterator = streams.get_shard_iterator(
            StreamArn=batch["streamArn"],
            ShardId=batch["shardId"],
            ShardIteratorType="AT_SEQUENCE_NUMBER",
            SequenceNumber=batch["startSequenceNumber"],
        )["ShardIterator"]
        while iterator:
            page = streams.get_records(ShardIterator=iterator)
            for record in page["Records"]:
                if int(record["dynamodb"]["SequenceNumber"]) > last:
                    return
                yield {**record, "eventSourceARN": batch["streamArn"]}
                if int(record["dynamodb"]["SequenceNumber"]) == last:
                    return
            iterator = page.get("NextShardIterator")
    except ClientError as error:
        if error.response["Error"]["Code"] in GONE:
            raise RecordsGone from None
        raise


def _plain(value: Any) -> Any:
    """Return what the client library read of a record as Lambda writes it in JSON."""
    match value:
        case Mapping():
            return {key: _plain(each) for key, each in value.items()}
        case list():
            return [_plain(each) for each in value]
        case bytes():
            return base64.b64encode(value).decode()
        case datetime():
            return int(value.timestamp())
        case _:
            return value
