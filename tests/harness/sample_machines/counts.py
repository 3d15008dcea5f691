"""Counts numbers in a Map that reports each, and returns how many they were."""

from aws_cdk.aws_stepfunctions import IChainable, Map, ProvideItems, QueryLanguage
from constructs import Construct

from infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a Map over the argument `numbers`, whose output is the tool's result."""
    numbers = "$states.context.Execution.Input.arguments.numbers"
    each = Map(
        scope,
        "Each",
        query_language=QueryLanguage.JSONATA,
        items=ProvideItems.jsonata(f"{{% {numbers} %}}"),
        outputs={"counted": "{% $states.result %}"},
    )
    report = functions.report_progress(
        scope, message="{% 'counted ' & $string($states.input) %}", total=f"{{% $count({numbers}) %}}"
    )
    return each.item_processor(report)
