"""Every state machine, wrapped so that whatever becomes of an execution becomes the task's outcome."""

from aws_cdk import ArnFormat, RemovalPolicy, Stack
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk.aws_logs import LogGroup, RetentionDays
from constructs import Construct

from infra.findings import acknowledge_wildcard
from infra.machines import MACHINES
from infra.run import Run
from infra.states import TaskFunctions


def machine_arns(stack: Stack) -> dict[str, str]:
    """Say where each machine will be: by name, since its functions know the machine and it knows them."""
    kind, form = "stateMachine", ArnFormat.COLON_RESOURCE_NAME
    return {
        name: stack.format_arn(
            service="states", resource=kind, resource_name=f"{stack.stack_name}-{name}", arn_format=form
        )
        for name in MACHINES
    }


def recorded(scope: Construct, work: sfn.IChainable, functions: TaskFunctions) -> sfn.IChainable:
    """Wrap work so that its output and its failure are both recorded."""
    if isinstance(work, Run):
        return work.add_catch(functions.record_failure(scope))
    whole = sfn.Parallel(scope, "Work", query_language=sfn.QueryLanguage.JSONATA, outputs="{% $states.result[0] %}")
    return whole.branch(work).add_catch(functions.record_failure(scope)).next(functions.record_return(scope))


class StateMachines(Construct):
    """One machine for each module listed in `infra/machines`."""

    def __init__(
        self, scope: Construct, construct_id: str, *, functions: TaskFunctions, retention: RetentionDays
    ) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self).stack_name
        # Under any other name each log group takes up room in the account's one resource policy.
        group = f"/aws/vendedlogs/states/{stack}"
        logs = LogGroup(self, "Logs", log_group_name=group, retention=retention, removal_policy=RemovalPolicy.DESTROY)
        acknowledge_wildcard(self, "*", "Neither X-Ray nor the delivery of logs knows resources.")
        for function in (functions.run_tool, functions.suspend_task, functions.record_outcome):
            acknowledge_wildcard(self, f"{function.function_arn}:*", "CDK adds the function's versions: it has none.")
        for name, machine in MACHINES.items():
            room = Construct(self, name)
            definition = recorded(room, machine.work(room, functions), functions)
            sfn.StateMachine(
                room,
                "Machine",
                state_machine_name=f"{stack}-{name}",
                query_language=sfn.QueryLanguage.JSONATA,
                definition_body=sfn.DefinitionBody.from_chainable(definition),
                timeout=machine.TIMEOUT,
                logs=sfn.LogOptions(destination=logs, level=sfn.LogLevel.ALL, include_execution_data=False),
                tracing_enabled=True,
            )
