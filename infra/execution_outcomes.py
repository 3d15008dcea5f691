"""EventBridge's rule for executions that ended, for those that could not record their outcome themselves."""

from collections.abc import Iterable

from aws_cdk import Duration
from aws_cdk.aws_events import EventPattern, Rule
from aws_cdk.aws_events_targets import LambdaFunction
from aws_cdk.aws_lambda import IFunction
from aws_cdk.aws_lambda_destinations import SqsDestination
from aws_cdk.aws_sqs import IQueue
from constructs import Construct

CHANGE = "Step Functions Execution Status Change"
ENDED = ["FAILED", "TIMED_OUT", "ABORTED", "SUCCEEDED"]


class ExecutionOutcomes(Construct):
    """Sends every end of an execution to a function: one that is aborted, or times out as a whole, runs no Catch."""

    def __init__(
        self, scope: Construct, construct_id: str, *, record: IFunction, machines: Iterable[str], undelivered: IQueue
    ) -> None:
        """Invoke `record` at every end of the state machines with these ARNs; failures go to `undelivered`."""
        super().__init__(scope, construct_id)
        detail = {"status": ENDED, "stateMachineArn": list(machines)}
        pattern = EventPattern(source=["aws.states"], detail_type=[CHANGE], detail=detail)
        # For events that the function failed on; the target's dead-letter queue is for those not delivered to it.
        record.configure_async_invoke(on_failure=SqsDestination(undelivered))
        target = LambdaFunction(
            record, dead_letter_queue=undelivered, retry_attempts=10, max_event_age=Duration.hours(6)
        )
        Rule(self, "Ended", event_pattern=pattern, targets=[target])
