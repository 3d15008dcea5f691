"""The construct that is a whole server: what it needs from an app, and what an app may use of it."""

from typing import Any

from aws_cdk import Names
from aws_cdk.aws_apigateway import IDomainName
from constructs import Construct

from .api import add_api
from .executions import add_executions
from .existing_table import TableOfTasks
from .machine_files import find_machines
from .operations import Operations
from .payloads import PayloadBucket
from .server_checks import accepted_issuers, check_server
from .server_functions import add_functions
from .server_settings import ServerSettings
from .task_table import TaskTable
from .tokens import Issuers
from .tools import Tools


class TaskServer(Construct):
    """A server for the tools in a folder; `docs/embedding.md` says what each parameter is for."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        tools: Tools,
        tokens: Issuers,
        settings: ServerSettings | None = None,
        machines: str | None = None,
        name: str | None = None,
        table: TableOfTasks | None = None,
        domain: IDomainName | None = None,
        account_logs_role: bool = True,
        local: bool = False,
    ) -> None:
        super().__init__(scope, construct_id)
        settings = settings or ServerSettings()
        self.name = name or Names.unique_resource_name(self, max_length=40, separator="-")
        works, issuers = find_machines(machines), accepted_issuers(tokens, settings)
        check_server(self, self.name, settings, works, package=machines, deployed=None if local else tools)
        self.table: TableOfTasks = table or TaskTable(self, "Tasks", keep=settings.keep_data, removal=settings.removal)
        self.table.serve(self)
        self.payloads = PayloadBucket(self, "Payloads", max_ttl=settings.max_ttl, removal=settings.removal)
        named: dict[str, Any] = {"name": self.name, "table": self.table}
        given = {**named, "machines": works, "payloads": self.payloads, "local": local}
        functions = add_functions(self, settings, issuers, tools, **given)
        self.run_tool, self.run_inline = functions.run_tool, functions.run_inline
        endpoint = add_api(self, functions, settings, issuers, self.name, domain=domain, logs_role=account_logs_role)
        self.rest_api, self.url = endpoint.rest, f"{endpoint.base_url}/mcp"
        followed = {**named, "machines": works, "settings": settings, "console": f"{endpoint.base_url}/"}
        self.dead_letters = add_executions(self, functions, tools, local=local, **followed)
        watched = {**named, "functions": functions, "rest": endpoint.rest, "machines": works}
        watched |= {"undelivered": self.dead_letters, "topic": settings.alarm_topic}
        self.operations = None if local else Operations(self, "Operations", **watched)  # the emulator evaluates none
