"""How large the result of a call may be under a tenant's plan; what the server itself can send is in `tool_run`."""

import logging
from dataclasses import replace

from mcp_tasks.features.results import failure
from mcp_tasks.tasks.model import Failed, Outcome, Returned
from mcp_tasks.tasks.stored_bytes import size_of

logger = logging.getLogger(__name__)


def within(limit: int, outcome: Outcome) -> Outcome:
    """Return an outcome of at most `limit` bytes: one that is larger becomes an error, and an error loses its data."""
    match outcome:
        case Returned(result=result) if (size := size_of(result)) > limit:
            return failure(f"The result is {size:,} bytes of JSON; this tenant's plan allows result_bytes: {limit:,}.")
        case Failed(data=data) if data is not None and size_of(data) > limit:
            logger.error("an error has more data than the tenant's plan allows: it is left out")
            return replace(outcome, data=None)
        case _:
            return outcome
