"""Rotates the keys of a stage, which sign values and authenticate audit records.

The stage is on AWS, with the credentials that are set, or the stack of `make stack`.
"""

import argparse
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

import boto3

from local.emulator import local_client
from local.ports import port_number
from local.stage import UNREADABLE, reason
from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.key_rotation import rotate
from mcp_tasks.adapters.dynamodb.keys import AUDIT_KEYS
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.limits.audit import REVOKED_FOR
from mcp_tasks.limits.waits import KEYS_FRESH, RETIRED_KEY_LIFETIME

TIME: Final = "%Y-%m-%d %H:%M:%S"
ACCEPTED_FOR: Final = {"rotate": RETIRED_KEY_LIFETIME, "revoke": timedelta()}
RECORDS_ACCEPTED_FOR: Final = {"rotate": RETIRED_KEY_LIFETIME, "revoke": REVOKED_FOR}
"""A ticket that is refused is made again; an audit record is not, and may be anchored after the key is over."""


class NoTable(Exception):
    """There is not exactly one stack that says what its table is; the text says what to do."""


def table_of(cloudformation: Any, stack: str | None) -> str:
    """Return the name of the table of a stack, or of the one stack there is; raises `NoTable`."""
    stacks = cloudformation.describe_stacks(**({"StackName": stack} if stack else {}))["Stacks"]
    outputs = [output for each in stacks for output in each.get("Outputs", ())]
    found = [output["OutputValue"] for output in outputs if output["OutputKey"] == "TableName"]
    if len(found) != 1:
        raise NoTable(
            f"{len(found)} of {len(stacks)} stacks say what their table is: TABLE=its-name, or STACK=its-name"
        )
    return str(found[0])


def report(table: Table, does: str) -> Iterator[str]:
    """Rotate or revoke the keys of a table, and yield lines that say what was done and what follows."""
    done = rotate(table, accepted_for=ACCEPTED_FOR[does])
    fresh = f"{KEYS_FRESH.seconds} seconds"
    yield f"{done.name} signs from now on; processes that run notice within {fresh}."
    for name in done.retired:
        yield f"{name} is accepted until {done.until:{TIME}} UTC, {fresh} longer where it was just read."
    audit = rotate(table, accepted_for=RECORDS_ACCEPTED_FOR[does], partition=AUDIT_KEYS)
    yield f"{audit.name} authenticates audit records; keys before it are accepted until {audit.until:{TIME}} UTC."
    live = sum(1 for _ in DynamoBacklog(table=table).live())
    yield f"{live} live tasks go on: the runs of those whose tickets are worth nothing by then are given new ones."
    if does == "revoke":
        yield "Cursors, event ids and requestStates of before are refused: clients repeat what they asked."


def main() -> int:
    """Run the command, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make rotate-keys")
    parser.add_argument("does", choices=ACCEPTED_FOR)
    parser.add_argument("--stack", help="a stack on AWS, in place of that of make stack")
    parser.add_argument("--table", help="a table on AWS, for a stack that does not say its name")
    parser.add_argument("--port", type=port_number, default=4566)
    given = parser.parse_args()
    on_aws = given.stack or given.table

    def client(service: str) -> Any:
        return boto3.client(service) if on_aws else local_client(f"http://127.0.0.1:{given.port}", service)

    try:
        name = given.table or table_of(client("cloudformation"), given.stack)
        for line in report(Table(client=client("dynamodb"), name=name, clock=SystemClock()), given.does):
            print(line, flush=True)
    except (NoTable, *UNREADABLE) as error:
        again = "Nothing is lost: repeat the command, which makes one more key."
        sys.exit(f"The keys cannot be rotated: {reason(error)}\n{again}")
    return 0
