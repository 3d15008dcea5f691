"""The functions of a server: what they are told by variables, and what they may do."""

import json
from collections.abc import Mapping, Sequence

from constructs import Construct

from .existing_table import TableOfTasks
from .functions import Functions
from .machine_files import Machine
from .machine_names import machine_arns
from .payloads import PayloadBucket
from .permissions import permit
from .server_settings import ServerSettings
from .tokens import Tokens
from .tools import Tools
from .variables import Variables


def tell_log_groups(functions: Functions) -> None:
    """Tell the endpoint the names of the log groups that operators are led to: of what a task's call and runs wrote."""
    serve = functions.serve_mcp
    writers = (serve, functions.on_task_change, functions.host_run, functions.run_tool)
    serve.add_environment("SHOWN_LOG_GROUPS", json.dumps([each.function.log_group.log_group_name for each in writers]))


def add_functions(
    server: Construct,
    settings: ServerSettings,
    issuers: Sequence[Tokens],
    tools: Tools,
    *,
    name: str,
    machines: Mapping[str, Machine],
    table: TableOfTasks,
    payloads: PayloadBucket,
    local: bool,
) -> Functions:
    """Add its functions to the server `name`."""
    arns = machine_arns(server, name, machines)
    variables = Variables(
        settings=settings, issuers=issuers, tools=tools, machines=arns, table=table, payloads=payloads
    )
    functions = Functions(server, "Functions", name=name, variables=variables, local=local)
    # The emulator has no console.
    if settings.operators and not local:
        tell_log_groups(functions)
    permit(functions, table=table, payloads=payloads, machines=arns.values())
    return functions
