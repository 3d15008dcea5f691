"""Permission for what executions in flight invoke: 0.3 knew no aliases, and an execution keeps its definition."""

from collections.abc import Iterable

from aws_cdk import Stack
from aws_cdk.aws_iam import PolicyStatement
from aws_cdk.aws_stepfunctions import CfnStateMachine, StateMachine

from .findings import flat
from .function import TaskServerFunction
from .functions import Functions


def permit_unqualified(machine: StateMachine, functions: Functions, own: Iterable[TaskServerFunction]) -> None:
    """Permit a state machine to invoke without their alias those functions of 0.3, and of its own, that it invokes."""
    resource = machine.node.default_child
    assert isinstance(resource, CfnStateMachine)
    stack = Stack.of(machine)
    invoked = flat(stack.resolve(resource.definition_string))
    run, suspend = functions.run_without_ticket, functions.suspend_task
    known = (run, suspend, functions.record_outcome, functions.report_progress, *own)
    arns = [each.function.function_arn for each in known if flat(stack.resolve(each.function_arn)) in invoked]
    if arns:
        machine.add_to_role_policy(PolicyStatement(actions=["lambda:InvokeFunction"], resources=arns))
