"""A Map whose items a Lambda function of the machine's own exports into a bucket of the machine's own."""

from aws_cdk.aws_s3 import BlockPublicAccess, Bucket, BucketEncryption
from aws_cdk.aws_stepfunctions import IChainable, Map, ProvideItems, QueryLanguage, TaskInput
from aws_cdk.aws_stepfunctions_tasks import LambdaInvoke
from constructs import Construct

from infra.findings import acknowledge
from infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a Map that invokes the function for each item, and reports it."""
    bucket = Bucket(
        scope,
        "Exports",
        block_public_access=BlockPublicAccess.BLOCK_ALL,
        encryption=BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
    )
    acknowledge(bucket, "S1", "Who reads the exports is in CloudTrail's data events.")
    export = functions.function(
        scope, "ExportShard", handler="tools.export.export_shard", environment={"BUCKET": bucket.bucket_name}
    )
    export.allow("s3:PutObject", on=[bucket.arn_for_objects("*")], because="Keys are made of the shard and the day.")
    invoke = LambdaInvoke(
        scope,
        "Export",
        query_language=QueryLanguage.JSONATA,
        lambda_function=export,
        payload=TaskInput.from_text("{% $states.input %}"),
        outputs="{% $states.result.Payload %}",
    )
    each = Map(scope, "Each", query_language=QueryLanguage.JSONATA, items=ProvideItems.jsonata("{% [1..20] %}"))
    return each.item_processor(invoke.next(functions.report_progress(scope, total=20)))
