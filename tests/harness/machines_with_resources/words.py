"""Says a word for each item, by two functions whose variables differ under one name, in a Map of Express executions."""

from aws_cdk.aws_lambda import Code, Function, Runtime
from aws_cdk.aws_stepfunctions import DistributedMap, IChainable, ProvideItems, QueryLanguage, StateMachineType
from aws_cdk.aws_stepfunctions_tasks import LambdaInvoke
from constructs import Construct

from infra.states import TaskFunctions

JSONATA = QueryLanguage.JSONATA
CODE = """
import os
import time

def handler(event, context):
    before = os.environ["WORD"]
    time.sleep(5)
    return event + before + os.environ["WORD"]
"""


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return the Map, whose output is the tool's result."""
    each = DistributedMap(
        scope,
        "Each",
        query_language=JSONATA,
        items=ProvideItems.jsonata("{% ['a', 'b'] %}"),
        tolerated_failure_percentage=10,
        map_execution_type=StateMachineType.EXPRESS,
        outputs="{% $join($states.result, ' ') %}",
    )
    return each.item_processor(_said(scope, "one").next(_said(scope, "two")))


def _said(scope: Construct, word: str) -> LambdaInvoke:
    function = Function(
        scope,
        f"Say{word}",
        code=Code.from_inline(CODE),
        handler="index.handler",
        runtime=Runtime.PYTHON_3_13,
        environment={"WORD": word},
    )
    return LambdaInvoke(
        scope, word, query_language=JSONATA, lambda_function=function, outputs="{% $states.result.Payload %}"
    )
