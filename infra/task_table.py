"""The DynamoDB table of all tasks, its stream, and the index that the sweep queries."""

from aws_cdk import RemovalPolicy
from aws_cdk.aws_dynamodb import (
    Attribute,
    AttributeType,
    Billing,
    PointInTimeRecoverySpecification,
    ProjectionType,
    StreamViewType,
    TableV2,
)
from constructs import Construct

from .existing_table import LIVE, TableOfTasks


class TaskTable(TableOfTasks):
    """One table for all tenants: every item expires, and every change is on the stream."""

    def __init__(self, scope: Construct, construct_id: str, *, keep: bool, removal: RemovalPolicy) -> None:
        """Build the table; `keep` turns on its deletion protection."""
        super().__init__(scope, construct_id)
        self.table = TableV2(
            self,
            "Table",
            partition_key=Attribute(name="PK", type=AttributeType.STRING),
            sort_key=Attribute(name="SK", type=AttributeType.STRING),
            billing=Billing.on_demand(),
            time_to_live_attribute="expiresAt",
            # The REMOVE record of a TTL deletion needs the old image: the task's quota is still to be released.
            dynamo_stream=StreamViewType.NEW_AND_OLD_IMAGES,
            point_in_time_recovery_specification=PointInTimeRecoverySpecification(point_in_time_recovery_enabled=True),
            deletion_protection=keep,
            removal_policy=removal,
        )
        # Sparse: only live tasks have these two attributes.
        self.table.add_global_secondary_index(
            index_name=LIVE,
            partition_key=Attribute(name="liveShard", type=AttributeType.STRING),
            sort_key=Attribute(name="checkAt", type=AttributeType.NUMBER),
            projection_type=ProjectionType.KEYS_ONLY,
        )
        stream = self.table.table_stream_arn
        assert stream is not None
        self.refer_to(name=self.table.table_name, arn=self.table.table_arn, stream_arn=stream)
