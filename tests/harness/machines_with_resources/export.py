"""Exports shards with a Lambda function of its own, and notes each in a table and a queue of its own."""

from typing import Any

from aws_cdk.aws_dynamodb import Attribute, AttributeType, TableV2
from aws_cdk.aws_lambda import Code, Function, Runtime
from aws_cdk.aws_s3 import Bucket
from aws_cdk.aws_sqs import Queue
from aws_cdk.aws_stepfunctions import IChainable, Map, ProvideItems, QueryLanguage, TaskInput
from aws_cdk.aws_stepfunctions_tasks import CallAwsService, LambdaInvoke
from constructs import Construct

from infra.states import TaskFunctions

JSONATA = QueryLanguage.JSONATA
BODY = "{% $states.input %}"


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a Map over the shards, whose output is the tool's result."""
    table = TableV2(scope, "Exports", partition_key=Attribute(name="key", type=AttributeType.STRING))
    queue, bucket = Queue(scope, "Exported", fifo=False), Bucket(scope, "Shards")
    export = Function(
        scope,
        "Export",
        code=Code.from_asset("tests/harness/machines_with_resources/export_code"),
        handler="shard.export",
        runtime=Runtime.PYTHON_3_13,
        environment={"BUCKET": bucket.bucket_name},
    )
    each = Map(
        scope,
        "Each",
        query_language=JSONATA,
        items=ProvideItems.jsonata("{% [1..$states.context.Execution.Input.arguments.shards] %}"),
        outputs="{% $join($states.result, ' ') %}",
    )
    one = LambdaInvoke(
        scope,
        "One",
        query_language=JSONATA,
        lambda_function=export,
        payload=TaskInput.from_object({"shard": "{% $states.input %}"}),
        outputs="{% $states.result.Payload %}",
    )
    item = {"TableName": table.table_name, "Item": {"key": {"S": BODY}}}
    message = {"QueueUrl": queue.queue_url, "MessageBody": BODY}
    return each.item_processor(
        one.next(_call(scope, "dynamodb", "putItem", item)).next(_call(scope, "sqs", "sendMessage", message))
    )


def _call(scope: Construct, service: str, action: str, parameters: Any) -> CallAwsService:
    return CallAwsService(
        scope,
        action,
        query_language=JSONATA,
        service=service,
        action=action,
        parameters=parameters,
        iam_resources=["*"],
        outputs=BODY,
    )
