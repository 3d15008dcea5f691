"""The stack as `cdk synth` writes it, once for all tests of a run."""

from pathlib import Path
from typing import Any

import pytest

from mcp_tasks.testing.state_machines.template import Template
from tests.infra.assembly import synthesise_once


def template(factory: pytest.TempPathFactory, machines_module: str, *, modules: Path | None = None) -> Template:
    """Return the template with the state machines of a package, knowing nothing of what was ever created from it.

    `modules` is the folder of the package, unless it is found anyway.
    """
    made = synthesise_once(factory, machines_module, context(machines_module), modules=modules)
    return Template.of_assembly(made.folder)


def context(machines_module: str) -> dict[str, Any]:
    """Return the context in which the state machines of a package are deployed."""
    # Functions of the local deployment need no bundling.
    return {"local": "1", "machines_module": machines_module, "aws:cdk:enable-path-metadata": True}
