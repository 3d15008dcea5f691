"""The stack as `cdk synth` writes it, once for all tests of a run."""

import atexit
import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from mcp_tasks.testing.state_machines.template import ACCOUNT, Template
from tests.infra.assembly import synthesise

EMULATORS_ACCOUNT = "000000000000"


def template(machines_module: str = "infra.machines", *, modules: Path | None = None) -> Template:
    """Return the template with the state machines of a package, knowing nothing of what was ever created from it.

    `modules` is the folder of the package, unless it is found anyway.
    """
    document, folder = _synthesised(machines_module, modules)
    return Template(json.loads(document), folder)


@cache
def _synthesised(machines_module: str, modules: Path | None) -> tuple[str, Path]:
    """Synthesise the local deployment, whose functions need no bundling, for moto's account; kept for the whole run."""
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    context = {"local": "1", "machines_module": machines_module, "aws:cdk:enable-path-metadata": True}
    made = synthesise(folder, context, modules=modules)
    return json.dumps(made.read(f"{made.name}.template.json")).replace(EMULATORS_ACCOUNT, ACCOUNT), folder
