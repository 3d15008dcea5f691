"""Measures words in a Map, in JSONPath; what follows is of JSONata."""

from aws_cdk.aws_stepfunctions import IChainable, Map, Pass
from constructs import Construct

from infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a Map over the words in the argument `of`, a report, and a state that says what the tool returns."""
    each = Map(
        scope,
        "Each",
        items_path="$.arguments.of.words",
        item_selector={"word.$": "$$.Map.Item.Value", "at.$": "$$.Map.Item.Index"},
        result_selector={"numbered.$": "$"},
    )
    report = functions.report_progress(scope, message="{% $count($states.input.numbered) & ' words' %}")
    lengths = Pass.jsonata(scope, "Measure", outputs={"lengths": "{% $states.input.numbered.$length(word) %}"})
    return each.item_processor(Pass(scope, "Nothing")).next(report).next(lengths)
