"""The stack of one stage: builds each unit, passes it to those that need it, and grants permissions."""

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from .checks import check_settings
from .dead_letters import DeadLetters
from .discovery import Discovery
from .endpoint import Endpoint
from .execution_outcomes import ExecutionOutcomes
from .functions import Functions
from .gateway_responses import GatewayResponses
from .identity import Identity
from .machine_files import find_machines
from .machine_names import machine_arns
from .payloads import PayloadBucket
from .permissions import permit
from .reconciliation import Reconciliation
from .resource_metadata import ResourceMetadata
from .routes import route
from .settings import StageSettings
from .state_machines import StateMachines
from .task_table import TaskTable
from .tool_access import ToolAccess
from .variables import Variables


class TaskServerStack(Stack):
    """One stage of the server."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, construct_id, env=settings.environment)
        stage, machines = settings, find_machines(settings.machines_module)
        arns = machine_arns(self, machines)
        check_settings(self, stage, machines)
        table = TaskTable(self, "Tasks", keep=stage.keep_data, removal=stage.removal)
        payloads = PayloadBucket(self, "Payloads", max_ttl=stage.max_ttl, removal=stage.removal)
        undelivered = DeadLetters(self, "DeadLetters").queue
        variables = Variables(settings=stage, table=table, payloads=payloads, machines=arns)
        functions = Functions(self, "Functions", settings=stage, variables=variables)
        permit(functions, table=table, payloads=payloads, machines=arns.values())
        serve, run, record = functions.serve_mcp, functions.run_tool, functions.record_outcome
        tools = ToolAccess(self, "ToolAccess", run_tool=run, serve_mcp=serve, removal=stage.removal)

        api = Endpoint(self, "Endpoint", settings=stage)
        authorizer = Identity(self, "Identity", authorize=functions.authorize).authorizer
        waits, browsers = functions.await_task or serve, bool(stage.allowed_origins)
        route(api.rest, calls=serve, waits=waits, authorizer=authorizer, browsers=browsers)
        metadata = ResourceMetadata(base_url=api.base_url, issuer=stage.issuer, scopes=stage.scopes)
        Discovery(self, "Discovery", rest=api.rest, metadata=metadata)
        GatewayResponses(self, "GatewayResponses", api=api.rest, challenge=metadata.challenge, browsers=browsers)
        # "Work" and "Repairs" as in 0.1: AWS refuses a second machine of a name, and a second mapping of the stream.
        StateMachines(self, "Work", machines=machines, functions=functions, retention=stage.retention)
        ExecutionOutcomes(self, "ExecutionOutcomes", record=record, machines=arns.values(), undelivered=undelivered)
        changes, sweep, stream = functions.on_task_change, functions.sweep, table.stream_arn
        Reconciliation(self, "Repairs", changes=changes, sweep=sweep, stream_arn=stream, undelivered=undelivered)
        outputs = {"Url": f"{api.base_url}/mcp", "ApiId": api.rest.rest_api_id, "TableName": table.name}
        for name, value in (outputs | {"PayloadBucket": payloads.name, "DataBucket": tools.data.bucket_name}).items():
            CfnOutput(self, name, value=value)
