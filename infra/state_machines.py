"""The state machines, each named after its file, and with states that record the task's outcome."""

from collections.abc import Mapping

from aws_cdk import aws_stepfunctions as sfn
from aws_cdk.aws_lambda import Function
from constructs import Construct

from .earlier_executions import permit_unqualified
from .execution_logs import acknowledge_levels, log_options
from .findings import acknowledge_items, acknowledge_resourceless, acknowledge_versions
from .function import TaskServerFunction
from .functions import Functions
from .machine_files import Machine
from .machine_names import machine_name
from .server_settings import ServerSettings
from .state_checks import check_states, refuse_taken_ids
from .states import TaskFunctions


class StateMachines(Construct):
    """One state machine for each file of `infra/machines`, and the default one."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        name: str,
        machines: Mapping[str, Machine],
        functions: Functions,
        settings: ServerSettings,
    ) -> None:
        super().__init__(scope, construct_id)
        logs = log_options(self, "Logs", name=name, settings=settings)
        invoked = TaskFunctions.of(functions)
        for each, machine in machines.items():
            parent = Construct(self, each)
            work = machine.work(parent, invoked)
            refuse_taken_ids(machine.file, parent)
            definition = invoked.recorded(parent, work)
            found = parent.node.find_all()
            acknowledge_versions(parent, (each for each in found if isinstance(each, Function)))
            own = [each for each in found if isinstance(each, TaskServerFunction)]
            made = sfn.StateMachine(
                parent,
                "Machine",
                state_machine_name=machine_name(name, each),
                definition_body=sfn.DefinitionBody.from_chainable(definition),
                timeout=machine.timeout,
                logs=logs,
                tracing_enabled=settings.traced,
            )
            acknowledge_levels(made)
            permit_unqualified(made, functions, own)
            acknowledge_items(made)
            acknowledge_resourceless(made.role)
            check_states(machine.file, made, invoked)
