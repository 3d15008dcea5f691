"""Writes what happened as audit records, one for each event: in these alone a subject is named.

They say who did what to which task, when, and what became of it: no arguments, results, responses or tokens.  The
records of a process are linked to each other (`chain.py`), and once a minute a function anchors how far each chain has
come (`anchoring.py`).  Each has a MAC by a key of the table (`ports/keys.py`).
"""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from mcp_tasks.audit.chain import BEGINS, Chain, Key
from mcp_tasks.limits.audit import KEY_RETRIED_AFTER
from mcp_tasks.ports.keys import audit_keys
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.actors import actors_of

logger: Final = logging.getLogger("audit")

CHAIN: Final = Chain()

_unread_until = datetime.min.replace(tzinfo=UTC)


def acting(client_id: str | None, actor: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return what records say of what acts for a subject: the OAuth client, and who the token says it is (RFC 8693).

    Where one acts for another, `actors` are all, who acts now first.
    """
    client = {} if client_id is None else {"client": client_id}
    actors = [*actors_of(actor)]
    return {**client, **({"actor": actors[0]} if actors else {}), **({"actors": actors} if len(actors) > 1 else {})}


def write(event: str, caller: Caller, fields: Mapping[str, Any]) -> None:
    """Write the record of an event, whose name has a dot, of what is the caller's: what `chain.FIELDS` names of it."""
    if not logger.isEnabledFor(logging.INFO):
        # No gap in the chain is to tell of what nobody wants written.
        return
    record = {
        **fields,
        **acting(caller.client_id, caller.actor),
        "event": event,
        "tenant": caller.tenant,
        "subject": caller.subject,
    }
    now = datetime.now(UTC)
    linked = CHAIN.link(record, now, _key(now))
    logger.info(event.replace(".", " "), extra={**linked, **({BEGINS: True} if linked["n"] == 1 else {})})


def _key(now: datetime) -> Key | None:
    """Return the key for records of now, None where there is none, or where it cannot be read for a moment.

    A record is written all the same: in a chain without MACs, of which each proof says that anybody may have made it.
    """
    global _unread_until  # one for the process, as the chain is
    source = audit_keys()
    if source is None or now < _unread_until:
        return None
    try:
        return Key(*source.current())
    except Exception:  # noqa: BLE001  # whatever it is, the record must be written
        _unread_until = now + KEY_RETRIED_AFTER
        failed = logging.getLogger(__name__)
        failed.warning("audit records have no MAC", exc_info=True, extra={"fallback": "audit_without_mac"})
        return None
