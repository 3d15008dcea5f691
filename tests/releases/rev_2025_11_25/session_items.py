"""The items of this revision's own, kept as `tests.releases.items` keeps all others.

`python -m tests.releases.rev_2025_11_25.session_items` writes them.
"""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.wire.rev_2025_11_25.adapters.dynamodb import DynamoSessions
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, Session
from tests.cloud import TABLE, Cloud, cloud, scan
from tests.kit import ADA, NOON, FixedClock
from tests.releases.items import SUSPENDED, URI, by_kind, keep

OF: Final = Path(__file__).parent.name
SESSION: Final = Session(
    id="s", version="2025-11-25", capabilities={"elicitation": {}}, expires_at=NOON + timedelta(hours=1)
)
SECOND: Final = Attempt(
    number=2,
    stream="one",
    request_id="r",
    not_before=NOON,
    rejected=1,
    last_error="no",
    kind="get",
    client_task="c",
)


def write_all(aws: Cloud) -> None:
    """Write items of every kind to an empty table."""
    sessions = DynamoSessions(table=Table(client=aws.dynamodb, name=TABLE, clock=FixedClock()))
    until = SESSION.expires_at
    sessions.save(ADA.owner_key, SESSION)
    sessions.save(ADA.owner_key, replace(SESSION, id="t", log_level="debug"))
    sessions.subscribe(ADA.owner_key, SESSION.id, URI, 7, until)
    sessions.attach_task(ADA.owner_key, "one", None, until)
    sessions.attach_task(ADA.owner_key, "two", SUSPENDED, until)
    sessions.cancel_stream(ADA.owner_key, "two", until)
    sessions.save_attempt(ADA.owner_key, "one", Attempt(), until)
    sessions.save_attempt(ADA.owner_key, "one", SECOND, until)


def written_now() -> dict[str, list[Item]]:
    """Return what today's code writes, by kind."""
    with cloud() as aws:
        write_all(aws)
        return by_kind(scan(aws.dynamodb))


if __name__ == "__main__":
    keep(written_now(), OF)
