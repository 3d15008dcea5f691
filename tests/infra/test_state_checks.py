"""States that AWS would run otherwise than they read, or that would lose their task there, are refused at synth."""

from collections.abc import Callable

import pytest
from aws_cdk import App, Stack
from aws_cdk.aws_lambda import Function
from aws_cdk.aws_logs import RetentionDays
from aws_cdk.aws_stepfunctions import (
    DefinitionBody,
    DistributedMap,
    IChainable,
    Map,
    Parallel,
    Pass,
    QueryLanguage,
    StateMachine,
    Wait,
    WaitTime,
)

from infra.function_code import local_code
from infra.function_defaults import FunctionDefaults
from infra.state_checks import check_states, refuse_taken_ids
from infra.states import TaskFunctions

Work = Callable[[Stack, TaskFunctions], IChainable]


def functions_of(stack: Stack) -> TaskFunctions:
    """Return functions that states may invoke, which are in no template."""
    names = ("run_tool", "run_without_ticket", "suspend_task", "record_outcome", "report_function")
    made = {name: Function.from_function_name(stack, name, name) for name in names}
    levels = {"log_level": "INFO", "platform_log_level": "WARN"}
    defaults = FunctionDefaults(code=local_code(), retention=RetentionDays.ONE_DAY, traced=True, **levels)
    return TaskFunctions(**made, defaults=defaults)


def check(work: Work) -> None:
    """Synthesise these states, with a Parallel around them as in every machine of a tool's own, and check them."""
    stack = Stack(App(), "Stack")
    functions, file = functions_of(stack), "infra/machines/own.py"
    states = work(stack, functions)
    refuse_taken_ids(file, stack)
    definition = DefinitionBody.from_chainable(functions.recorded(stack, states))
    machine = StateMachine(stack, "Machine", definition_body=definition)
    check_states(file, machine, functions)


def a_map(kind: type[Map] | type[DistributedMap], items: Callable[[Stack, TaskFunctions], IChainable]) -> Work:
    """Return a Map of these items, as states of a branch."""

    def work(stack: Stack, functions: TaskFunctions) -> IChainable:
        each = kind(stack, "Each", query_language=QueryLanguage.JSONATA)
        return Parallel(stack, "Both", query_language=QueryLanguage.JSONATA).branch(
            each.item_processor(items(stack, functions))
        )

    return work


def runs(stack: Stack, functions: TaskFunctions) -> IChainable:
    return functions.run(stack)


def hands_over(stack: Stack, functions: TaskFunctions) -> IChainable:
    return functions.run(stack, state_input="{% $states.input %}")


def reports(stack: Stack, functions: TaskFunctions) -> IChainable:
    return functions.report_progress(stack)


def passes(stack: Stack, functions: TaskFunctions) -> IChainable:
    return Pass.jsonata(stack, "Nothing")


@pytest.mark.parametrize("kind", [Map, DistributedMap])
@pytest.mark.parametrize("items", [runs, hands_over])
def test_no_map_runs_the_tool(kind: type[Map], items: Work) -> None:
    with pytest.raises(
        SystemExit, match=r"^infra/machines/own.py: the Map 'Each' runs the tool, which a task does once"
    ):
        check(a_map(kind, items))


def test_no_distributed_map_reports_progress() -> None:
    with pytest.raises(
        SystemExit, match=r"^infra/machines/own.py: the distributed Map 'Each' reports progress, but each"
    ):
        check(a_map(DistributedMap, reports))


@pytest.mark.parametrize("work", [a_map(Map, reports), a_map(DistributedMap, passes), runs, hands_over, reports])
def test_all_else_is_left_alone(work: Work) -> None:
    check(work)


def test_a_map_in_a_map_is_found() -> None:
    def nested(stack: Stack, functions: TaskFunctions) -> IChainable:
        inner = Map(stack, "Inner", query_language=QueryLanguage.JSONATA).item_processor(reports(stack, functions))
        return DistributedMap(stack, "Outer", query_language=QueryLanguage.JSONATA).item_processor(inner)

    with pytest.raises(SystemExit, match="the distributed Map 'Outer' reports progress"):
        check(nested)


def waits(stack: Stack, functions: TaskFunctions) -> IChainable:
    return Wait(stack, "Forgot", time=WaitTime.seconds("{% $states.input %}"))


def selects(stack: Stack, functions: TaskFunctions) -> IChainable:
    each = Map(stack, "Forgot", items_path="$.arguments.numbers", item_selector={"number": "{% $states.input %}"})
    return each.item_processor(Pass(stack, "Nothing"))


def puts_out(stack: Stack, functions: TaskFunctions) -> IChainable:
    return Pass(stack, "Forgot", outputs={"rows": 7})


@pytest.mark.parametrize("forgetful", [waits, selects, puts_out])
def test_jsonata_in_a_state_that_was_not_said_to_be_of_it_is_refused(forgetful: Work) -> None:
    def branch(stack: Stack, functions: TaskFunctions) -> IChainable:
        return Parallel(stack, "Both").branch(forgetful(stack, functions))

    for work in (forgetful, branch):
        with pytest.raises(
            SystemExit,
            match=r"^infra/machines/own.py: the state 'Forgot' has .* give it query_language=QueryLanguage.JSONATA",
        ):
            check(work)


def test_a_state_of_jsonpath_is_left_alone() -> None:
    check(
        lambda stack, functions: Pass(
            stack, "Nothing", parameters={"day.$": "$.arguments.day", "about": "5 {% %} more"}
        )
    )


@pytest.mark.parametrize("kind", [Map, Parallel])
def test_a_state_of_jsonpath_inside_one_of_jsonata_is_refused(kind: type[Map] | type[Parallel]) -> None:
    def work(stack: Stack, functions: TaskFunctions) -> IChainable:
        inner = Pass(stack, "Inner", parameters={"day.$": "$.day"})
        if kind is Map:
            return Map(stack, "Outer", query_language=QueryLanguage.JSONATA).item_processor(inner)
        return Parallel(stack, "Outer", query_language=QueryLanguage.JSONATA).branch(inner)

    with pytest.raises(SystemExit, match=r"^infra/machines/own.py: the state 'Inner' is of JSONPath, and the state '"):
        check(work)


def test_a_state_without_a_field_of_either_language_may_be_anywhere() -> None:
    check(
        lambda stack, functions: Map(stack, "Outer", query_language=QueryLanguage.JSONATA).item_processor(
            Pass(stack, "Nothing")
        )
    )


@pytest.mark.parametrize("taken", ["Work", "RecordReturn", "RecordFailure", "Machine"])
def test_the_ids_of_what_is_added_are_taken(taken: str) -> None:
    with pytest.raises(SystemExit, match=f"^infra/machines/own.py: the id '{taken}' is that of a state or machine"):
        check(lambda stack, functions: Pass.jsonata(stack, taken))
