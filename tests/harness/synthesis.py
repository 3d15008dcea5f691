"""The stack as `cdk synth` writes it, once for all tests of a run."""

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from mcp_tasks.testing.state_machines.template import Template
from tests.infra.assembly import synthesise


def template(machines_module: str = "layers.examples.machines", *, modules: Path | None = None) -> Template:
    """Return the template with the state machines of a package, knowing nothing of what was ever created from it.

    `modules` is the folder of the package, unless it is found anyway.
    """
    return Template.of_assembly(_synthesised(machines_module, modules))


@cache
def _synthesised(machines_module: str, modules: Path | None) -> Path:
    """Synthesise the local deployment, whose functions need no bundling; it is kept for the whole run."""
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    context = {"local": "1", "machines_module": machines_module, "aws:cdk:enable-path-metadata": True}
    return synthesise(folder, context, modules=modules).folder
