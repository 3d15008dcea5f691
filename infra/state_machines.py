"""The state machines, each with states that record its output or its failure as the task's outcome."""

from aws_cdk import ArnFormat, RemovalPolicy, Stack
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk.aws_logs import LogGroup, RetentionDays
from constructs import Construct

from .findings import acknowledge_wildcard
from .machines import MACHINES
from .run import Run
from .states import TaskFunctions


def machine_arns(stack: Stack) -> dict[str, str]:
    """Return the ARN of each state machine, made from its name: the functions and the machines refer to each other."""
    kind, form = "stateMachine", ArnFormat.COLON_RESOURCE_NAME
    return {
        name: stack.format_arn(
            service="states", resource=kind, resource_name=f"{stack.stack_name}-{name}", arn_format=form
        )
        for name in MACHINES
    }


def recorded(scope: Construct, work: sfn.IChainable, functions: TaskFunctions) -> sfn.IChainable:
    """Return the work with states that record its outcome: a tool's run does that itself, but for its failures."""
    if isinstance(work, Run):
        return work.add_catch(functions.record_failure(scope))
    whole = sfn.Parallel(scope, "Work", query_language=sfn.QueryLanguage.JSONATA, outputs="{% $states.result[0] %}")
    return whole.branch(work).add_catch(functions.record_failure(scope)).next(functions.record_return(scope))


class StateMachines(Construct):
    """One state machine for each module that `infra/machines` lists."""

    def __init__(
        self, scope: Construct, construct_id: str, *, functions: TaskFunctions, retention: RetentionDays
    ) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self).stack_name
        # Log groups under any other prefix each add to CloudWatch Logs' resource policy, whose size is limited.
        group = f"/aws/vendedlogs/states/{stack}"
        logs = LogGroup(self, "Logs", log_group_name=group, retention=retention, removal_policy=RemovalPolicy.DESTROY)
        acknowledge_wildcard(self, "*", "Neither X-Ray nor the delivery of logs has resource types.")
        for function in (functions.run_tool, functions.suspend_task, functions.record_outcome):
            acknowledge_wildcard(self, f"{function.function_arn}:*", "CDK adds the function's versions: it has none.")
        for name, machine in MACHINES.items():
            parent = Construct(self, name)
            definition = recorded(parent, machine.work(parent, functions), functions)
            sfn.StateMachine(
                parent,
                "Machine",
                state_machine_name=f"{stack}-{name}",
                query_language=sfn.QueryLanguage.JSONATA,
                definition_body=sfn.DefinitionBody.from_chainable(definition),
                timeout=machine.TIMEOUT,
                logs=sfn.LogOptions(destination=logs, level=sfn.LogLevel.ALL, include_execution_data=False),
                tracing_enabled=True,
            )
