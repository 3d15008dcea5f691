"""`make rotate-keys` and `make revoke-keys`: the keys of a stage afterwards, and the lines that are printed."""

from datetime import timedelta

import pytest

from local.keys import report
from mcp_tasks.adapters.dynamodb.items import SYSTEM
from mcp_tasks.adapters.dynamodb.keys import AUDIT_KEYS, DynamoKeys
from mcp_tasks.adapters.dynamodb.table import Table
from tests.kit import FixedClock


@pytest.mark.parametrize(
    ("does", "signing", "audits"),
    [("rotate", timedelta(days=1), timedelta(days=1)), ("revoke", timedelta(), timedelta(minutes=10))],
)
def test_command_rotates_both_kinds_of_keys_and_retires_each_at_its_time(
    table: Table, clock: FixedClock, does: str, signing: timedelta, audits: timedelta
) -> None:
    kinds = {SYSTEM: signing, AUDIT_KEYS: audits}
    before = {kind: DynamoKeys(table, kind).current()[0] for kind in kinds}
    said = list(report(table, does))
    after = {kind: DynamoKeys(table, kind).current()[0] for kind in kinds}
    asked = clock.now()

    assert not {*before.values()} & {*after.values()}
    assert said[0].startswith(f"{after[SYSTEM]} signs from now on; processes that run notice within 60 seconds")
    assert said[1].startswith(f"{before[SYSTEM]} is accepted until {asked + signing:%Y-%m-%d %H:%M:%S} UTC, 60 seconds")
    assert said[2].startswith(f"{after[AUDIT_KEYS]} authenticates audit records; keys before it are accepted until ")
    assert said[2].endswith(f"{asked + audits:%Y-%m-%d %H:%M:%S} UTC.")
    for kind, accepted_for in kinds.items():
        for passed, is_found in ((accepted_for - timedelta(microseconds=1), True), (accepted_for, False)):
            clock.advance(asked + passed - clock.now())
            assert DynamoKeys(table, kind).find(after[kind])
            if passed >= timedelta():
                assert bool(DynamoKeys(table, kind).find(before[kind])) is is_found
