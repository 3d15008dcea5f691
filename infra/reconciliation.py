"""The triggers of the reconciler: the table's stream, and a schedule for what the stream missed."""

import json

from aws_cdk import Duration
from aws_cdk.aws_events import Rule, Schedule
from aws_cdk.aws_events_targets import LambdaFunction
from aws_cdk.aws_lambda import EventSourceMapping, IFunction, StartingPosition
from aws_cdk.aws_lambda_event_sources import SqsDlq
from aws_cdk.aws_sqs import IQueue
from constructs import Construct

TASKS = {"dynamodb": {"Keys": {"SK": {"S": [{"prefix": "task#"}]}}}}
INBOX = {"Keys": {"SK": {"S": [{"prefix": "inbox#"}]}}}
# Of those that change, what is accepted tells nobody anything, and is all that happens to most.
APPROVALS = {"eventName": ["INSERT"], "dynamodb": INBOX}
REMINDERS = {"eventName": ["MODIFY"], "dynamodb": {**INBOX, "NewImage": {"notices": {"N": [{"exists": True}]}}}}
FOLLOWED = (TASKS, APPROVALS, REMINDERS)


class Reconciliation(Construct):
    """Invokes a function for every change of a task, and another one to sweep live tasks on a schedule."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        changes: IFunction,
        sweep: IFunction,
        stream_arn: str,
        undelivered: IQueue,
        notifies: bool,
    ) -> None:
        """Map the stream to `changes`, which gives a record up after an hour, and run `sweep` every five minutes.

        With `notifies`, the stream's records of approvals that people are told of come with those of tasks.
        """
        super().__init__(scope, construct_id)
        EventSourceMapping(
            self,
            "Changes",
            target=changes,
            event_source_arn=stream_arn,
            starting_position=StartingPosition.TRIM_HORIZON,
            filters=[{"pattern": json.dumps(each)} for each in (FOLLOWED if notifies else FOLLOWED[:1])],
            batch_size=100,
            parallelization_factor=4,
            report_batch_item_failures=True,
            bisect_batch_on_error=True,
            # The age below is the bound: an outage of an hour must not use the attempts up.
            retry_attempts=1_000,
            max_record_age=Duration.hours(1),
            on_failure=SqsDlq(undelivered),
        )
        # The next sweep is as good as a retry, and two never overlap.
        sweep.configure_async_invoke(retry_attempts=0)
        target = LambdaFunction(sweep, retry_attempts=0, max_event_age=Duration.minutes(5))
        Rule(self, "Sweep", schedule=Schedule.rate(Duration.minutes(5)), targets=[target])
