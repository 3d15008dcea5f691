"""What every function runs: code, runtime and layers, on AWS or on this machine."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk.aws_lambda import Code, ILayerVersion, LayerVersion, Runtime
from constructs import Construct

from infra.bytecode.bundling import ROOT, compiled
from infra.checks import refuse_unhashed, refuse_unknown_machines


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What Lambda loads when a function starts; each function has its own handler in it."""

    code: Code
    runtime: Runtime
    layers: Sequence[ILayerVersion]


def cloud_program(scope: Construct, *, tools_module: str) -> Program:
    """Bundle all of `functions/`, the maintainer's room with what it requires, and the adopter's room."""
    runtime = Runtime.PYTHON_3_13
    listed = catalogue(tools_module)
    refuse_unknown_machines(listed)
    refuse_unhashed(["core", "tools"])
    core = compiled(ROOT / "layers" / "core", unpacked="/opt")
    tools = compiled(ROOT / "layers" / "tools", unpacked="/opt", files={"catalogue.json": listed})
    layers = [
        LayerVersion(scope, name, code=code, compatible_runtimes=[runtime])
        for name, code in {"CoreLayer": core, "ToolsLayer": tools}.items()
    ]
    # Below a folder of its own, so that a handler has one name in the working tree and on AWS.
    code = compiled(ROOT / "functions", folder="functions", unpacked="/var/task")
    return Program(code=code, runtime=runtime, layers=layers)


def catalogue(module: str) -> str:
    """Return what the endpoint is to know of the tools in a module without importing it."""
    rooms = [ROOT / "layers" / "core" / "python", ROOT / "layers" / "tools" / "python", ROOT]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, rooms))}
    command = [sys.executable, "-m", "mcp_tasks.features.catalogue", module]
    return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def local_program() -> Program:
    """Run the working tree under this machine's Python.

    The asset is a bootstrap and nothing else; the import path comes with the emulator's environment.
    """
    code = Code.from_asset(str(ROOT / "infra" / "local_runtime"))
    return Program(code=code, runtime=Runtime.PROVIDED_AL2023, layers=[])
