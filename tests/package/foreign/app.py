"""Two servers in a stack of an app that has packages `infra` and `functions`, and a module `tools`, of its own."""

from aws_cdk import App, Stack, Validations
from cdk_nag import AwsSolutionsChecks
from mcp_tasks.infra import TaskServer, Tokens, Tools

from functions import OFFICE
from infra import SHOP
from tools import titled

app = App()
stack = Stack(app, titled(SHOP))
issuer = "https://login.acme.dev/"
tokens = Tokens(issuer=issuer, audience="https://shop.acme.dev/mcp", jwks_url=f"{issuer}keys")
TaskServer(stack, "Agents", tools=Tools("agents"), tokens=tokens, machines="agents.machines")
TaskServer(stack, OFFICE, tools=Tools("billing", "bills"), tokens=tokens, account_logs_role=False)
Validations.of(app).add_plugins(AwsSolutionsChecks())
app.synth()
