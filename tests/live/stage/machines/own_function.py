"""Invokes a Lambda function of the machine's own, whose handler is in the layer of the tools."""

from aws_cdk.aws_stepfunctions import IChainable, QueryLanguage, TaskInput
from aws_cdk.aws_stepfunctions_tasks import LambdaInvoke
from constructs import Construct

from infra.states import ARGUMENTS, TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a state that invokes the function with the number, and whose output is what that returns."""
    return LambdaInvoke(
        scope,
        "Invoke",
        query_language=QueryLanguage.JSONATA,
        lambda_function=functions.function(scope, "Double", handler="live_tools.double"),
        payload=TaskInput.from_object({"number": f"{{% {ARGUMENTS}.number %}}"}),
        outputs="{% $states.result.Payload %}",
    )
