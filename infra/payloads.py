"""The bucket for arguments and results that are too large for one item of the table."""

from aws_cdk import Duration, RemovalPolicy
from aws_cdk.aws_s3 import BlockPublicAccess, Bucket, BucketEncryption, LifecycleRule, ObjectOwnership
from constructs import Construct

from .findings import acknowledge


class PayloadBucket(Construct):
    """A private bucket whose objects expire at least a day after the longest task."""

    def __init__(self, scope: Construct, construct_id: str, *, max_ttl: Duration, removal: RemovalPolicy) -> None:
        super().__init__(scope, construct_id)
        # S3 expires by whole days, from midnight: one day to round up, one to outlast the last reader.
        kept = Duration.days(int(max_ttl.to_days(integral=False)) + 2)
        self.bucket = Bucket(
            self,
            "Bucket",
            block_public_access=BlockPublicAccess.BLOCK_ALL,
            object_ownership=ObjectOwnership.BUCKET_OWNER_ENFORCED,
            encryption=BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            versioned=False,
            lifecycle_rules=[
                LifecycleRule(expiration=kept, abort_incomplete_multipart_upload_after=Duration.days(1)),
            ],
            removal_policy=removal,
        )
        acknowledge(self.bucket, "S1", "Only the functions read and write here, and they log it.")
        self.name = self.bucket.bucket_name
        self.objects_arn = self.bucket.arn_for_objects("*")
