"""The stack as `cdk synth` writes it, once for all tests of a run."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from mcp_tasks.testing.state_machines.template import ACCOUNT, Template
from tests.infra.assembly import synthesise

EMULATORS_ACCOUNT = "000000000000"


def template() -> Template:
    """Return the template anew, knowing nothing of what was ever created from it."""
    return Template(json.loads(_synthesised()))


@cache
def _synthesised() -> str:
    """Synthesise the local deployment, whose functions need no bundling, for moto's account."""
    with TemporaryDirectory() as folder:
        made = synthesise(Path(folder), {"local": "1"})
        return json.dumps(made.read(f"{made.name}.template.json")).replace(EMULATORS_ACCOUNT, ACCOUNT)
