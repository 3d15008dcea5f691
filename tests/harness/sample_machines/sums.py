"""Squares numbers in a Map, and hands them to the tool's code."""

from aws_cdk.aws_stepfunctions import IChainable, Map, Pass, ProvideItems, QueryLanguage
from constructs import Construct

from infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a Map over the argument `numbers`, followed by the tool's run."""
    numbers = ProvideItems.jsonata("{% $states.context.Execution.Input.arguments.numbers %}")
    square = Pass.jsonata(scope, "Square", outputs="{% $states.input * $states.input %}")
    each = Map(scope, "Each", query_language=QueryLanguage.JSONATA, items=numbers)
    return each.item_processor(square).next(functions.run(scope, state_input={"squares": "{% $states.input %}"}))
