"""The code, runtime and layers that all functions share, on AWS and on the emulator."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from aws_cdk.aws_lambda import Code, ILayerVersion, LayerVersion, Runtime
from constructs import Construct

from mcp_tasks.limits.aws import MAX_TOOLS_LAYER_BYTES

from .bytecode.bundling import PythonAsset
from .sources import CORE, CORE_LAYER, CORE_LOCK, FUNCTIONS, INFRA, NOT_DEPLOYED
from .tool_checks import (
    refuse_longer_ttl,
    refuse_missing_tools,
    refuse_taken_names,
    refuse_unknown_machines,
    refuse_unlocked,
)
from .tools import Tools

# Folders that were renamed since a release: another construct id would be another function, with another ARN, and
# executions that the release started invoke the old one.  Those of 0.3 have no ticket.
RENAMED = {"park_task": "suspend_task", "run_tool": "run_without_ticket", "tools": "run_tool"}


# The folder of the core layer that has what botocore knows of AWS.
SERVICE_DATA = "service_data"

# The folders of a layer that Lambda's runtime for Python looks into; the rest of the tools' folder stays here.
LOADED = ("python", "bin", "lib")


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCode:
    """What Lambda loads when a function starts; the handlers of all functions are in `asset`.

    `environment` tells the functions where in the layers something is.
    """

    asset: Code
    runtime: Runtime
    layers: Sequence[ILayerVersion]
    environment: Mapping[str, str] = field(default_factory=dict)

    def handler(self, construct_id: str) -> str:
        """Return the handler of a function, as Lambda wants it named."""
        return f"functions.{RENAMED.get(construct_id, construct_id)}.handler.handler"


def check_tools(tools: Tools, machines: Iterable[str], package: str | None, *, longest_ttl: float) -> None:
    """Refuse tools that would not work once they are deployed; raises `SystemExit`.

    `machines` are the names of the state machines, of which all but the default one are in `package`.
    """
    refuse_missing_tools(tools)
    refuse_unknown_machines(catalogue(tools), machines, package)
    refuse_longer_ttl(catalogue(tools), longest_ttl)
    refuse_taken_names(Path(tools.folder))
    refuse_unlocked([CORE_LAYER, Path(tools.folder)])


def code_of(scope: Construct, tools: Tools, *, local: bool) -> FunctionCode:
    """Return what functions load: on AWS what is bundled, on the emulator the working tree."""
    return local_code() if local else cloud_code(scope, tools)


def cloud_code(scope: Construct, tools: Tools) -> FunctionCode:
    """Bundle `functions/`, and a layer each of the core and of the tools with what they require."""
    runtime = Runtime.PYTHON_3_13
    folder, lock = Path(tools.folder), Path(tools.folder, "requirements.txt")
    core = PythonAsset(
        source=CORE,
        folder=f"python/{CORE.name}",
        unpacked="/opt",
        files={f"{SERVICE_DATA}/{path}": content for path, content in service_data().items()},
        lock=CORE_LOCK,
        left_out=NOT_DEPLOYED,
    )
    own = PythonAsset(
        source=folder,
        only=LOADED,
        unpacked="/opt",
        files={"catalogue.json": catalogue(tools)},
        lock=lock if lock.exists() else None,
        without=CORE_LOCK,
        limit=MAX_TOOLS_LAYER_BYTES,
    )
    layers = [
        LayerVersion(scope, name, code=layer.code, compatible_runtimes=[runtime])
        for name, layer in {"CoreLayer": core, "ToolsLayer": own}.items()
    ]
    # Below a folder of its own, so that a handler has one name in the working tree and on AWS.
    asset = PythonAsset(source=FUNCTIONS, folder="functions", unpacked="/var/task").code
    environment = {"SERVICE_DATA": f"{core.unpacked}/{core.folder}/{SERVICE_DATA}"}
    return FunctionCode(asset=asset, runtime=runtime, layers=layers, environment=environment)


@cache
def catalogue(tools: Tools) -> str:
    """Return the catalogue of the tools, as JSON: what the server lists without importing them."""
    return _printed("mcp_tasks.features.catalogue", tools.module, path=[Path(tools.folder, "python").resolve()])


@cache
def service_data() -> Mapping[str, str]:
    """Return what botocore has to know of AWS in the functions, file by file."""
    files: Mapping[str, str] = json.loads(_printed("mcp_tasks.service_data"))
    return files


@cache
def functions_of_revisions() -> frozenset[str]:
    """Return the names of the functions that only some revisions of the protocol need, if the server has those."""
    return frozenset(json.loads(_printed("mcp_tasks.wire.revisions")))


def _printed(*command: str, path: Iterable[Path] = ()) -> str:
    """Run a module of the layers, which infra does not import, and return what it prints.

    Raises `SystemExit`, with no words of its own, where the module fails: it has said why.
    """
    # The folder that the app runs in comes last (-P): it may have modules of the same names.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, [*path, CORE.parent, Path.cwd()]))}
    python = [sys.executable, "-P", "-m", *command]
    done = subprocess.run(python, env=environment, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(done.returncode)
    return done.stdout


def local_code() -> FunctionCode:
    """Return a custom runtime that runs the working tree under this machine's Python.

    The asset is a `bootstrap` alone; the import path comes with the emulator's environment.
    """
    asset = Code.from_asset(str(INFRA / "local_runtime"))
    return FunctionCode(asset=asset, runtime=Runtime.PROVIDED_AL2023, layers=[])
