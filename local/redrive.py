"""`make redrive`: has what waits in a stage's dead-letter queue handled again, and deletes each message after that."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import boto3
from botocore.config import Config

from local.dead_letters import DeadLetters, NotHandled, RecordsGone
from local.releases import aliases_of
from local.stage import UNREADABLE, Refused, reason, stack_of, stage_parser
from mcp_tasks import aws
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.table import Table

OUTPUT: Final = "DeadLetterQueue"
OUTCOMES: Final = "functions.record_outcome."
"""What the handler of the function begins with to which EventBridge's rule leads."""

HIDDEN: Final = timedelta(minutes=15)
"""How long a message that is being handled is given to nobody else."""

OVERDUE: Final = timedelta(minutes=15)
"""A task that was to be checked so long ago has not been: sweeps come every five minutes."""

PATIENT: Final = Config(read_timeout=120, retries={"total_max_attempts": 1})
Handle = Callable[[Mapping[str, Any]], str]


def drain(sqs: Any, queue: str, handle: Handle) -> Iterator[tuple[bool, str]]:
    """Handle each message that waits in a queue once; yield whether it was, so that it is deleted, and what was done.

    What was not handled waits again at the end, and so does, after a while, what was being handled by who was stopped.
    """
    asked = {"QueueUrl": queue, "MaxNumberOfMessages": 10, "VisibilityTimeout": HIDDEN // timedelta(seconds=1)}
    kept: list[str] = []
    try:
        while messages := sqs.receive_message(**asked, WaitTimeSeconds=1).get("Messages", []):
            for message in messages:
                try:
                    said = handle(message)
                except NotHandled as reason:
                    kept.append(message["ReceiptHandle"])
                    yield False, f"message {message['MessageId']} stays: {reason}"
                else:
                    sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
                    yield True, said
    finally:
        for receipt in kept:
            sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=receipt, VisibilityTimeout=0)


def reconciled(letters: DeadLetters, table: Table) -> Handle:
    """Return what has messages handled; one whose records are gone counts as handled where sweeps checked all tasks."""

    def handle(message: Mapping[str, Any]) -> str:
        try:
            return letters.handle(message)
        except RecordsGone:
            pass
        if any(DynamoBacklog(table=table).due(limit=1)):
            raise NotHandled("its records are gone from the stream, and the sweep has not yet checked all tasks")
        return "records of more than a day ago are gone from the stream: since then the sweep has checked all tasks"

    return handle


class Earlier:
    """The time of a while ago."""

    def now(self) -> datetime:
        """Return it."""
        return aws.clock.now() - OVERDUE

    def sleep(self, duration: timedelta) -> None:
        """Sleep as the clock does."""
        aws.clock.sleep(duration)


def invoking(aliases: Mapping[str, str]) -> Callable[[str, Any], Any]:
    """Return what invokes a function by its alias."""
    lambdas = boto3.client("lambda", config=PATIENT)

    def invoke(name: str, event: Any) -> Any:
        payload = json.dumps(event).encode()
        answer = lambdas.invoke(FunctionName=name, Qualifier=aliases[name], Payload=payload)
        returned = json.loads(answer["Payload"].read())
        if "FunctionError" in answer:
            raise NotHandled(f"{name} fails again with {returned.get('errorType', 'an error')}: its log says why")
        return returned

    return invoke


def function_of_outcomes(names: Iterable[str]) -> str:
    """Return the name of the function of these to which EventBridge's rule leads; raises `Refused`."""
    lambdas = boto3.client("lambda")
    for name in names:
        if lambdas.get_function_configuration(FunctionName=name)["Handler"].startswith(OUTCOMES):
            return name
    raise Refused("The stack has no function that records outcomes.")


def outputs_of(stack: str) -> Mapping[str, str]:
    """Return the outputs of a stack; raises `Refused` where it has no dead-letter queue among them."""
    (described,) = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    outputs = {each["OutputKey"]: each["OutputValue"] for each in described.get("Outputs", [])}
    if OUTPUT not in outputs:
        raise Refused(f"The stack {stack} has no output {OUTPUT}: deploy it first.")
    return outputs


def main(arguments: list[str] | None = None) -> int:
    """Empty the queue of the stage that the arguments name, print what was done, and return the exit status."""
    given = stage_parser("make redrive").parse_args(arguments)
    try:
        aliases, outputs = aliases_of(stack := stack_of(given)), outputs_of(stack)
        letters = DeadLetters(
            functions=frozenset(aliases),
            outcomes=function_of_outcomes(aliases),
            invoke=invoking(aliases),
            streams=boto3.client("dynamodbstreams"),
        )
        table = Table(client=aws.client("dynamodb", aws.MORE_RETRIES), name=outputs["TableName"], clock=Earlier())
        handled = []
        for is_handled, said in drain(boto3.client("sqs"), outputs[OUTPUT], reconciled(letters, table)):
            handled.append(is_handled)
            print(said)
    except Refused as error:
        sys.exit(str(error))
    except UNREADABLE as error:
        sys.exit(f"The dead letters cannot be handled: {reason(error)}")
    print(f"{sum(handled)} of {len(handled)} messages were handled, and are deleted")
    return 0 if all(handled) else 1


if __name__ == "__main__":
    sys.exit(main())
