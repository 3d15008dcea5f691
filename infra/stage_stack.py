"""The stack of one stage: a server of the tools in a folder, as `cdk.json` describes it."""

from aws_cdk import CfnOutput, Stack, Tags
from constructs import Construct

from .customer_key import CustomerKey
from .domain import Domain
from .existing_table import ExistingTaskTable
from .server import TaskServer
from .settings import StageSettings
from .stage_issuers import refuse_placeholders
from .tools import Tools


class StageStack(Stack):
    """One stage of a server; whoever extends it adds what the code of the tools may access."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: StageSettings, tools: Tools) -> None:
        super().__init__(
            scope, construct_id, env=settings.environment, termination_protection=settings.server.keep_data
        )
        for tag, value in settings.tags.items():
            Tags.of(self).add(tag, value)
        if settings.customer_key:
            CustomerKey(self, "CustomerKey", removal=settings.server.removal)
        domain = Domain(self, "Domain", **settings.domain).domain_name if settings.domain else None
        refuse_placeholders(self, settings.stage, settings.issuers)
        existing = ExistingTaskTable(self, "ExistingTable", **settings.table) if settings.table else None
        self.server = TaskServer(
            self,
            # This id, and no other, leaves the logical ids of what is inside as they were before there was a construct.
            "Default",
            tools=tools,
            tokens=settings.issuers,
            settings=settings.server,
            machines=settings.machines_module,
            name=self.stack_name,
            domain=domain,
            table=existing,
            local=settings.local,
        )
        api, table, payloads = self.server.rest_api, self.server.table, self.server.payloads
        if settings.local:
            # The emulator takes the API's id from this tag, so that the address stays the same when it starts again.
            Tags.of(api).add("ms-custom-id", "tasks")
        outputs = {"Url": self.server.url, "ApiId": api.rest_api_id, "TableName": table.name}
        outputs |= {"PayloadBucket": payloads.name, "DeadLetterQueue": self.server.dead_letters.queue_url}
        if self.server.operations:
            outputs["Dashboard"] = self.server.operations.dashboard_url
        for name, value in outputs.items():
            CfnOutput(self, name, value=value)
