"""A key of one's own for what a stage keeps: its tables, buckets and logs."""

import jsii
from aws_cdk import Aspects, IAspect, RemovalPolicy, Stack
from aws_cdk.aws_dynamodb import CfnGlobalTable
from aws_cdk.aws_iam import AnyPrincipal, PolicyStatement, ServicePrincipal
from aws_cdk.aws_kms import Key
from aws_cdk.aws_logs import CfnLogGroup
from aws_cdk.aws_s3 import CfnBucket
from constructs import Construct, IConstruct

USE = ("kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey")


class CustomerKey(Key):
    """A key that encrypts all tables, buckets and log groups of its stack, and is used through these services alone."""

    def __init__(self, scope: Construct, construct_id: str, *, removal: RemovalPolicy) -> None:
        super().__init__(scope, construct_id, enable_key_rotation=True, removal_policy=removal)
        stack = Stack.of(self)
        services = [f"{name}.{stack.region}.{stack.url_suffix}" for name in ("dynamodb", "s3")]
        # As in the keys that AWS manages: who may read the table or the bucket needs no permission for its key.
        through = {"StringEquals": {"kms:CallerAccount": stack.account, "kms:ViaService": services}}
        logs = f"arn:{stack.partition}:logs:{stack.region}:{stack.account}:log-group:*"
        by_group = {"ArnLike": {"kms:EncryptionContext:aws:logs:arn": logs}}
        for principal, conditions in (
            (AnyPrincipal(), through),
            (ServicePrincipal(f"logs.{stack.region}.{stack.url_suffix}"), by_group),
        ):
            actions = [*USE, "kms:CreateGrant"] if conditions is through else list(USE)
            self.add_to_resource_policy(
                PolicyStatement(principals=[principal], actions=actions, resources=["*"], conditions=conditions)
            )
        Aspects.of(stack).add(_Encrypted(self.key_arn))


@jsii.implements(IAspect)
class _Encrypted:
    def __init__(self, key_arn: str) -> None:
        self._key_arn = key_arn

    def visit(self, node: IConstruct) -> None:
        """Have the resource use the key, if it keeps anything."""
        if isinstance(node, CfnLogGroup):
            node.kms_key_id = self._key_arn
        elif isinstance(node, CfnBucket):
            default = CfnBucket.ServerSideEncryptionByDefaultProperty(
                sse_algorithm="aws:kms", kms_master_key_id=self._key_arn
            )
            # Of the keys that a bucket key makes, one is asked for, and not one for each object.
            rule = CfnBucket.ServerSideEncryptionRuleProperty(
                bucket_key_enabled=True, server_side_encryption_by_default=default
            )
            node.bucket_encryption = CfnBucket.BucketEncryptionProperty(server_side_encryption_configuration=[rule])
        elif isinstance(node, CfnGlobalTable):
            node.add_property_override("SSESpecification", {"SSEEnabled": True, "SSEType": "KMS"})
            node.add_property_override("Replicas.0.SSESpecification", {"KMSMasterKeyId": self._key_arn})
