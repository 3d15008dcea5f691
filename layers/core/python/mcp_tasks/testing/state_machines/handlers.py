"""The template's functions, loaded as Lambda loads them: each module under its own environment, once for each test."""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any
from unittest.mock import patch

from mcp_tasks.testing.state_machines import environment
from mcp_tasks.testing.state_machines.lambdas import Handler
from mcp_tasks.testing.state_machines.resources import CannotBeMade
from mcp_tasks.testing.state_machines.template import REGION, Template

FUNCTION = "AWS::Lambda::Function"
GIVEN = {"AWS_REGION": REGION, "AWS_DEFAULT_REGION": REGION}


def load(template: Template, instead: Mapping[str, str]) -> tuple[dict[str, Handler], dict[str, str]]:
    """Return each function's handler, and the variables of all functions in one; `instead` overrides some of them."""
    handlers: dict[str, Handler] = {}
    everything: dict[str, str] = dict(GIVEN)
    for name, function in template.ours(FUNCTION):
        variables = _variables(function)
        variables |= {key: value for key, value in instead.items() if key in variables}
        handlers[name] = imported(function, variables)
        everything |= variables
    theirs, variables = brought(template)
    return handlers | theirs, variables | everything


def imported(function: Mapping[str, Any], variables: Mapping[str, str] = MappingProxyType({})) -> Handler:
    """Return the handler of a function whose code is a module here, imported anew under its environment."""
    with patch.dict(os.environ, {**_variables(function), **variables}):
        return _handler(_imported(function["Handler"]), function)


def brought(template: Template) -> tuple[dict[str, Handler], dict[str, str]]:
    """Return the handlers of the functions that state machines bring, and the variables that they can share."""
    machines = {name: machine for name, _, machine in template.brought()}
    functions = {name: function for name, function in template.of_type(FUNCTION) if name in machines}
    given = [item for function in functions.values() for item in _variables(function).items()]
    # Two functions may have a bucket each under the same name: such a variable is set while its function runs.
    shared = {name: value for name, value in given if all(other == value for key, other in given if key == name)}
    handlers: dict[str, Handler] = {}
    for name, function in functions.items():
        own = {key: value for key, value in _variables(function).items() if key not in shared}
        load = partial(_module, template, machines[name], name, function)
        handlers[name] = _loaded_at_first(load, function, own)
    return handlers, shared


def _loaded_at_first(load: Callable[[], ModuleType], function: Mapping[str, Any], own: Mapping[str, str]) -> Handler:
    loaded: list[Handler] = []
    loading = threading.RLock()

    def handler(event: Any, context: Any) -> Any:
        with environment.variables(own) if own else nullcontext():
            with loading:
                if not loaded:
                    loaded.append(_handler(load(), function))
            return loaded[0](event, context)

    return handler


def _variables(function: Mapping[str, Any]) -> dict[str, str]:
    return {**GIVEN, **function.get("Environment", {}).get("Variables", {})}


def _handler(module: ModuleType, function: Mapping[str, Any]) -> Handler:
    handler: Handler = getattr(module, function["Handler"].rpartition(".")[2])
    return handler


def _module(template: Template, machine: str, name: str, function: Mapping[str, Any]) -> ModuleType:
    """Import the module of the handler: that of this process, or else that in the function's own code."""
    path, code = function["Handler"].rpartition(".")[0], function["Code"]
    if not function["Runtime"].startswith(("python", "provided")):
        raise CannotBeMade(f"{machine} brings the function {name} in {function['Runtime']}: only Python runs here")
    if "ZipFile" in code:
        module = ModuleType(path)
        exec(compile(code["ZipFile"], path, "exec"), module.__dict__)
        return module
    folder = template.assembly / f"asset.{Path(code['S3Key']).stem}" if template.assembly else None
    if folder is None or not (folder / f"{path.replace('.', '/')}.py").exists():
        return _imported(path + ".handler")
    with _importable(folder):
        return _run(spec_from_file_location(path, folder / f"{path.replace('.', '/')}.py"), path)


def _imported(handler: str) -> ModuleType:
    """Run the module anew, beside the one that `import` may hold."""
    name = handler.rpartition(".")[0]
    return _run(find_spec(name), name)


def _run(spec: Any, name: str) -> ModuleType:
    assert spec is not None, f"there is no module {name}"
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
