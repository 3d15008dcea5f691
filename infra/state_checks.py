"""Checks at synth for states that would run otherwise on AWS than they read, or lose their task there."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from aws_cdk import Stack
from aws_cdk.aws_lambda import IFunction
from aws_cdk.aws_stepfunctions import CfnStateMachine, StateMachine
from constructs import Construct

from .findings import flat
from .states import TaskFunctions

State = Mapping[str, Any]

WITHIN = {"Branches", "ItemProcessor", "Iterator"}
JSONPATH = {"Parameters", "ResultSelector"}
# A text that is one as a whole, in JSON.
EXPRESSION = re.compile(r'"\{%([^"\\]|\\.)*%\}"')

# The states and the state machine that are added to those of a file.
ADDED = ("Work", "RecordReturn", "RecordFailure", "Machine")


def refuse_taken_ids(file: str, scope: Construct) -> None:
    """Refuse states and resources with the id of one that is added beside them; raises `SystemExit`."""
    for taken in ADDED:
        if scope.node.try_find_child(taken):
            raise SystemExit(f"{file}: the id {taken!r} is that of a state or machine around yours: take another one.")


def check_states(file: str, machine: StateMachine, functions: TaskFunctions) -> None:
    """Refuse a machine whose states do not do what they say; raises `SystemExit`."""
    resource = machine.node.default_child
    assert isinstance(resource, CfnStateMachine)
    definition = json.loads(flat(Stack.of(machine).resolve(resource.definition_string)))
    refuse_unevaluated(file, definition)
    refuse_lost_tasks(file, definition, functions)


def refuse_unevaluated(file: str, definition: State) -> None:
    """Refuse states with fields of a query language that is not theirs; raises `SystemExit`."""
    for name, state in _states(definition):
        own = {key: value for key, value in state.items() if key not in WITHIN}
        if not _is_jsonata(state) and ("Output" in state or EXPRESSION.search(json.dumps(own))):
            raise SystemExit(
                f"{file}: the state {name!r} has an expression or an output of JSONata, and is of JSONPath, as states "
                "of the CDK are by default: give it query_language=QueryLanguage.JSONATA."
            )
        for inner, each in _states(state) if _is_jsonata(state) else ():
            if not _is_jsonata(each) and any(key in JSONPATH or key.endswith("Path") for key in each):
                raise SystemExit(
                    f"{file}: the state {inner!r} is of JSONPath, and the state {name!r} around it of JSONata: give "
                    "both the same query_language."
                )


def _is_jsonata(state: State) -> bool:
    return state.get("QueryLanguage") == "JSONata"


def refuse_lost_tasks(file: str, definition: State, functions: TaskFunctions) -> None:
    """Refuse a machine that runs the tool in a Map, or reports from a distributed one; raises `SystemExit`."""
    for name, each in _maps(definition):
        if _invokes(functions.run_tool, each):
            raise SystemExit(
                f"{file}: the Map {name!r} runs the tool, which a task does once at a time: let other states do the "
                "work, and hand their output to a run after it (functions.run(scope, state_input=...))."
            )
        distributed = each["ItemProcessor"].get("ProcessorConfig", {}).get("Mode") == "DISTRIBUTED"
        if distributed and _invokes(functions.report_function, each):
            raise SystemExit(
                f"{file}: the distributed Map {name!r} reports progress, but each of its items is an execution of its "
                "own, which does not know the task: report before or after the Map."
            )


def _invokes(function: IFunction, state: State) -> bool:
    arn = flat(Stack.of(function).resolve(function.function_arn))
    return any(each.get("Arguments", {}).get("FunctionName") == arn for _, each in _states(state))


def _maps(definition: State) -> Iterator[tuple[str, State]]:
    return ((name, state) for name, state in _states(definition) if state["Type"] == "Map")


def _states(outer: State) -> Iterator[tuple[str, State]]:
    """Yield the states of a definition or a state, those of its branches and items too."""
    for part in (outer, *outer.get("Branches", ()), outer.get("ItemProcessor", {})):
        for name, state in part.get("States", {}).items():
            yield name, state
            yield from _states(state)
