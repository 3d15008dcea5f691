"""The stores of sessions: in the DynamoDB table, and in memory."""

from typing import Any

from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.storage import Storage
from mcp_tasks.wire.rev_2025_11_25.ports import SessionStore


def session_store(storage: Storage) -> SessionStore:
    """Return the store that keeps sessions in a storage."""
    return storage.open(in_table=in_table, in_memory=in_memory)


def in_table(table: Any) -> SessionStore:
    """Return a store of sessions in the DynamoDB table."""
    # Imported here because a process has one of both stores, and botocore only where there is a table.
    from mcp_tasks.wire.rev_2025_11_25.adapters.dynamodb import DynamoSessions

    return DynamoSessions(table=table)


def in_memory(clock: Clock) -> SessionStore:
    """Return a store of sessions in memory."""
    # Imported here because a process has one of both stores.
    from mcp_tasks.wire.rev_2025_11_25.adapters.memory import MemorySessions

    return MemorySessions(clock)
