"""The whole server: each unit is built, handed to those that need it, and granted what it may do."""

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from infra.checks import refuse_placeholders
from infra.dead_letters import DeadLetters
from infra.discovery import Discovery
from infra.endpoint import Endpoint
from infra.execution_outcomes import ExecutionOutcomes
from infra.functions import Functions
from infra.gateway_responses import GatewayResponses
from infra.identity import Identity
from infra.payloads import Payloads
from infra.permissions import permit
from infra.reconciliation import Reconciliation
from infra.resource_metadata import ResourceMetadata
from infra.routes import route
from infra.settings import Settings
from infra.state_machines import StateMachines, machine_arns
from infra.states import TaskFunctions
from infra.task_table import TaskTable
from infra.tool_access import ToolAccess
from infra.variables import Variables


class TaskServerStack(Stack):
    """One stage of the server."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings) -> None:
        super().__init__(scope, construct_id, env=settings.environment)
        stage, machines = settings, machine_arns(self)
        refuse_placeholders(self, stage)
        table = TaskTable(self, "Tasks", keep=stage.keep_data, removal=stage.removal)
        payloads = Payloads(self, "Payloads", max_ttl=stage.max_ttl, removal=stage.removal)
        undelivered = DeadLetters(self, "DeadLetters").queue
        variables = Variables(settings=stage, table=table, payloads=payloads, machines=machines)
        does = Functions(self, "Functions", settings=stage, variables=variables)
        permit(does, table=table, payloads=payloads, machines=machines.values())
        tools = ToolAccess(self, "ToolAccess", run_tool=does.run_tool, serve_mcp=does.serve_mcp, removal=stage.removal)

        api = Endpoint(self, "Endpoint", settings=stage)
        identity = Identity(self, "Identity", authorize=does.authorize)
        browsers = bool(stage.allowed_origins)
        route(api.rest, calls=does.serve_mcp, waits=does.await_task, authorizer=identity.authorizer, browsers=browsers)
        metadata = ResourceMetadata(base_url=api.base_url, issuer=stage.issuer, scopes=stage.scopes)
        Discovery(self, "Discovery", rest=api.rest, metadata=metadata)
        GatewayResponses(self, "GatewayResponses", api=api.rest, challenge=metadata.challenge, browsers=browsers)

        record, changes, sweep = does.record_outcome, does.on_task_change, does.sweep
        called = TaskFunctions(run_tool=does.run_tool, suspend_task=does.suspend_task, record_outcome=record)
        StateMachines(self, "StateMachines", functions=called, retention=stage.retention)
        ExecutionOutcomes(self, "ExecutionOutcomes", record=record, machines=machines.values(), undelivered=undelivered)
        Reconciliation(
            self, "Reconciliation", changes=changes, sweep=sweep, stream_arn=table.stream_arn, undelivered=undelivered
        )
        outputs = {"Url": f"{api.base_url}/mcp", "ApiId": api.rest.rest_api_id, "TableName": table.name}
        for name, value in (outputs | {"PayloadBucket": payloads.name, "DataBucket": tools.data.bucket_name}).items():
            CfnOutput(self, name, value=value)
