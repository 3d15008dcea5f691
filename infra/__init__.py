"""The server as CDK constructs: `TaskServer` is all of it, and each unit has a file of its own."""

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .existing_table import ExistingTaskTable as ExistingTaskTable
    from .server import TaskServer as TaskServer
    from .server_settings import ServerSettings as ServerSettings
    from .task_table import TaskTable as TaskTable
    from .tokens import Tokens as Tokens
    from .tools import Tools as Tools

EXPORTED = {
    "ExistingTaskTable": "existing_table",
    "ServerSettings": "server_settings",
    "TaskServer": "server",
    "TaskTable": "task_table",
    "Tokens": "tokens",
    "Tools": "tools",
}

# In a clone `app.py` runs without PYTHONPATH, and constructs take their defaults from the limits that the functions run
# with.  Where this is installed, it has another name, and what it needs is installed too.
if __name__ == "infra":
    sys.path.append(str(Path(__file__).parents[1] / "layers/core/python"))


def __getattr__(name: str) -> Any:
    # The CDK takes seconds to import, and `make serve` shares modules of this package that do without.
    if name not in EXPORTED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{EXPORTED[name]}", __name__), name)
