"""An operator has the counters of a tenant repaired, also where nothing but the number is wrong."""

import pytest

from mcp_tasks.tasks.errors import DamagedCounter
from tests.cloud import Cloud
from tests.contract.test_tenant import Desk, fill
from tests.kit import FixedClock


@pytest.fixture
def desk(aws: Cloud, clock: FixedClock) -> Desk:
    return Desk(aws, clock)


@pytest.mark.parametrize("damaged", [{"N": "700"}, {"S": "SECRET"}])
def test_an_operator_has_a_tenants_counters_repaired_from_its_tasks(desk: Desk, damaged: dict[str, str]) -> None:
    fill(desk)
    for partition, place in (("acme#bob", "using"), ("acme", "quota#0")):
        item = desk.table.stored({"PK": {"S": partition}, "SK": {"S": place}})
        desk.table.put(item | {"PK": {"S": partition}, "SK": {"S": place}, "active": damaged, "goneAt": {"N": "1e10"}})

    if "S" in damaged:
        with pytest.raises(DamagedCounter):
            desk.operator.shown()
    desk.operator.recount()

    assert desk.operator.shown()["used"]["active_tasks"] == 4
