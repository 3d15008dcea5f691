"""What a release deployed is updated in place: a resource with another logical id would be a new one."""

import json
from pathlib import Path

from infra.function_code import functions_of_revisions
from tests.infra.assembly import Assembly

RELEASES = Path(__file__).parents[1] / "releases"
OF_REVISIONS = {"Functionsawaittask": "await_task"}
"""The functions that are deployed only with the revisions that need them."""


def test_what_holds_state_or_is_addressed_keeps_its_logical_id(own: Assembly) -> None:
    """The tools' own bucket and state machine are left out: they are the adopter's."""
    released = json.loads((RELEASES / "0.2/resources.json").read_text())
    left_out = tuple(name for name, folder in OF_REVISIONS.items() if folder not in functions_of_revisions())
    deployed = {name: kind for name, kind in released.items() if not name.startswith(left_out)}
    template = own.read(f"{own.name}.template.json")["Resources"]

    assert {name: template.get(name, {}).get("Type") for name in deployed} == deployed
