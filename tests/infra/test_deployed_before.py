"""What a release deployed is updated in place: a resource with another logical id would be a new one."""

import json
from pathlib import Path

from tests.infra.assembly import Assembly

GOLDEN = Path(__file__).parent / "golden"


def test_what_holds_state_or_is_addressed_keeps_its_logical_id(own: Assembly) -> None:
    """The tools' own bucket and state machine are left out: they are the adopter's."""
    deployed = json.loads((GOLDEN / "resources-0.2.json").read_text())
    template = own.read(f"{own.name}.template.json")["Resources"]

    assert {name: template.get(name, {}).get("Type") for name in deployed} == deployed
