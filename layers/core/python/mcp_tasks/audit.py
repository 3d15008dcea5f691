"""Writes what happened as audit records, one for each event: in these alone a subject is named.

They say who did what to which task, when, and what became of it: no arguments, results, responses or tokens.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

from mcp_tasks.security.tenancy import Caller

logger: Final = logging.getLogger("audit")


def write(event: str, caller: Caller, fields: Mapping[str, Any]) -> None:
    """Write the record of an event, whose name has a dot, of what is the caller's."""
    whose = {"event": event, "tenant": caller.tenant, "subject": caller.subject}
    logger.info(event.replace(".", " "), extra={**whose, **fields})
