"""The functions of a server: what they are told by variables, and what they may do."""

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
    permit(functions, table=table, payloads=payloads, machines=arns.values())
    return functions
