"""The stack as `cdk synth` writes it, once for all tests of a run."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from mcp_tasks.testing.state_machines.template import ACCOUNT, Template
from tests.infra.assembly import synthesise

EMULATORS_ACCOUNT = "000000000000"


def template(machines_module: str = "infra.machines") -> Template:
    """Return the template with the state machines of a package, knowing nothing of what was ever created from it."""
    return Template(json.loads(_synthesised(machines_module)))


@cache
def _synthesised(machines_module: str) -> str:
    """Synthesise the local deployment, whose functions need no bundling, for moto's account."""
    with TemporaryDirectory() as folder:
        made = synthesise(Path(folder), {"local": "1", "machines_module": machines_module})
        return json.dumps(made.read(f"{made.name}.template.json")).replace(EMULATORS_ACCOUNT, ACCOUNT)
