"""Writes what happened as audit records, one for each event: in these alone a subject is named.

They say who did what to which task, when, and what became of it: no arguments, results, responses or tokens.  The
records of a process are linked to each other (`chain.py`), and once a minute a function anchors how far each chain has
come (`anchoring.py`).
"""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from mcp_tasks.audit.chain import Chain
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.actors import actors_of

logger: Final = logging.getLogger("audit")

CHAIN: Final = Chain()


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
    logger.info(event.replace(".", " "), extra=CHAIN.link(record, datetime.now(UTC)))
