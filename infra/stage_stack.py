"""The stack of one stage: a server of the tools in a folder, as `cdk.json` describes it."""

from aws_cdk import Annotations, CfnOutput, Stack, Tags
from constructs import Construct

from .customer_key import CustomerKey
from .domain import Domain
from .server import TaskServer
from .settings import StageSettings
from .stage_issuers import REQUIRED
from .tools import Tools

# RFC 2606 reserves it, so no issuer has it.
PLACEHOLDER = "example.com"


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
        _refuse_placeholders(self, settings)
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
            local=settings.local,
        )
        api, table, payloads = self.server.rest_api, self.server.table, self.server.payloads
        if settings.local:
            # The emulator takes the API's id from this tag, so that the address stays the same when it starts again.
            Tags.of(api).add("ms-custom-id", "tasks")
        outputs = {"Url": self.server.url, "ApiId": api.rest_api_id, "TableName": table.name}
        for name, value in {**outputs, "PayloadBucket": payloads.name}.items():
            CfnOutput(self, name, value=value)


def _refuse_placeholders(stack: Stack, settings: StageSettings) -> None:
    """Add an error for settings that still name example.com: `make synth` ignores it, `make deploy` does not."""
    left = [name for name in REQUIRED if any(PLACEHOLDER in getattr(each, name) for each in settings.issuers)]
    if left:
        Annotations.of(stack).add_error(
            f"Every token would be refused, because cdk.json still has placeholders for {' and '.join(left)} of stage "
            f"{settings.stage!r}: write there whose tokens to accept (docs/deploy.md), or pass them with -c name=value."
        )
