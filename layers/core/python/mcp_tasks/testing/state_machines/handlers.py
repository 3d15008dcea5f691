"""The template's functions, loaded as Lambda loads them: each module under its own environment, once for each test."""

import os
from collections.abc import Mapping
from importlib.util import find_spec, module_from_spec
from typing import Any
from unittest.mock import patch

from mcp_tasks.testing.state_machines.lambdas import Handler
from mcp_tasks.testing.state_machines.template import REGION, Template


def load(template: Template, instead: Mapping[str, str]) -> tuple[dict[str, Handler], dict[str, str]]:
    """Return each function's handler, and the variables of all functions in one; `instead` overrides some of them."""
    given = {"AWS_REGION": REGION, "AWS_DEFAULT_REGION": REGION}
    handlers: dict[str, Handler] = {}
    everything: dict[str, str] = dict(given)
    for name, function in template.of_type("AWS::Lambda::Function"):
        variables = function["Environment"]["Variables"]
        variables = given | variables | {key: value for key, value in instead.items() if key in variables}
        with patch.dict(os.environ, variables):
            handlers[name] = _load(function["Handler"])
        everything |= variables
    return handlers, everything


def _load(path: str) -> Handler:
    """Run the module anew, beside the one that `import` may hold, and take its handler."""
    name, _, attribute = path.rpartition(".")
    spec = find_spec(name)
    assert spec is not None, f"there is no module {name}"
    assert spec.loader is not None
    module: Any = module_from_spec(spec)
    spec.loader.exec_module(module)
    handler: Handler = getattr(module, attribute)
    return handler
