"""What the server's functions are kept from in the table, on AWS: IAM's simulator knows partition keys only if told.

Relied on: a transaction is authorized for each of its items by `dynamodb:LeadingKeys`, as a single request is.
"""

import json
import uuid
from typing import Final

import pytest

from tests.live.deployed import Stage, until
from tests.live.roles import MakeClient, copied, policies_of, said, session

pytestmark = pytest.mark.live

KEYS: Final = "!"
"""The partition of the signing keys."""

AUDIT: Final = "!audit!"
"""The partition of the audit's anchors."""

AUDIT_KEYS: Final = "!audit-keys!"
"""The partition of the keys of audit records."""

NOBODYS: Final = "live-test"
READS: Final = {"read": "done", "read in a transaction": "done"}
WRITES: Final = {"write": "ConditionalCheckFailedException", "write in a transaction": "TransactionCanceledException"}
NO_READS: Final = dict.fromkeys(READS, "denied")
NO_WRITES: Final = dict.fromkeys(WRITES, "denied")


def of_items(make: MakeClient, table: str, *partitions: str) -> dict[str, str]:
    """Say what comes of reading and of writing the last of these partitions, and all of them in a transaction.

    Nothing is written: the condition is that there is an item already, of a name that is new.
    """
    dynamodb, name = make("dynamodb"), f"live-test-{uuid.uuid4().hex}"
    keys = [{"PK": {"S": each}, "SK": {"S": name}} for each in partitions]
    gets = [{"TableName": table, "Key": key} for key in keys]
    puts = [{"TableName": table, "Item": key, "ConditionExpression": "attribute_exists(PK)"} for key in keys]
    return {
        "read": said(dynamodb.get_item, **gets[-1]),
        "read in a transaction": said(dynamodb.transact_get_items, TransactItems=[{"Get": each} for each in gets]),
        "write": said(dynamodb.put_item, **puts[-1]),
        "write in a transaction": said(dynamodb.transact_write_items, TransactItems=[{"Put": each} for each in puts]),
    }


def test_the_function_that_suspends_tasks_cannot_read_the_signing_keys(any_stage: Stage) -> None:
    table = any_stage.outputs["TableName"]
    with copied(any_stage.functions["suspend_task"]["Role"]) as role:
        make = session(role)
        until(lambda: of_items(make, table, NOBODYS) == READS | WRITES)

        assert of_items(make, table, KEYS) == NO_READS | NO_WRITES
        assert of_items(make, table, NOBODYS, KEYS) == NO_READS | NO_WRITES


def test_no_function_can_write_the_plan_of_a_tenant(any_stage: Stage) -> None:
    table, plan = any_stage.outputs["TableName"], f"live-test-{uuid.uuid4().hex}!"
    roles = {name: str(function["Role"]) for name, function in any_stage.functions.items()}
    writers = {name: role for name, role in roles.items() if "dynamodb:PutItem" in json.dumps(policies_of(role))}
    assert "serve_mcp" in writers

    for name, writer in writers.items():
        with copied(writer) as role:
            make = session(role)
            known = [until(lambda: _writable(make, table))]  # noqa: B023 - it is called at once
            found = of_items(make, table, *known, plan)

            assert {way: found[way] for way in WRITES} == NO_WRITES, name


def _writable(make: MakeClient, table: str) -> str | None:
    """Return a partition that a role may write, once IAM knows of it; some functions write one partition alone."""
    partitions = (NOBODYS, KEYS, AUDIT, AUDIT_KEYS)
    return next((each for each in partitions if WRITES.items() <= of_items(make, table, each).items()), None)
