"""The dead-letter queue of the table's stream and of EventBridge's rule."""

from aws_cdk import Duration
from aws_cdk.aws_sqs import Queue, QueueEncryption
from constructs import Construct

from .findings import acknowledge


class DeadLetters(Construct):
    """One queue for all sources; a message in it means a bug or an outage, whose tasks the sweep reconciles."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)
        self.queue = Queue(
            self,
            "Queue",
            encryption=QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
        )
        acknowledge(self.queue, "SQS3", "This is the dead-letter queue, of a stream and of a rule.")
