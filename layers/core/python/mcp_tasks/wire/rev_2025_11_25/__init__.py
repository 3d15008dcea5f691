"""Revision 2025-11-25, and the handshake versions before it: sessions, and a `tasks/result` that blocks."""

from functools import cache
from typing import TYPE_CHECKING, Final

from mcp_tasks.ports.storage import Storage
from mcp_tasks.wire.revision import Revision

if TYPE_CHECKING:
    from mcp_tasks.wire.rev_2025_11_25.serve import Serving

FUNCTIONS: Final = ("await_task",)
"""The functions that are deployed for this revision: its clients hold GETs open, while those of others only POST."""


def revision(storage: Storage) -> Revision:
    """Return this revision, which keeps its sessions in a storage."""

    @cache
    def serves() -> "Serving":
        # Imported with the first request, so that those of another revision do not pay for this one.
        from mcp_tasks.wire.rev_2025_11_25.serve import serving

        return serving(storage)

    def has_method(name: str) -> bool:
        # As above.
        from mcp_tasks.wire.rev_2025_11_25.methods import NAMES

        return name in NAMES

    return Revision(
        name="2025-11-25",
        claims=lambda request, message: True,
        serve=lambda exchange: serves().serve(exchange),
        has_method=has_method,
        has_streams=True,
        deferred=lambda exchange: serves().defer(exchange),
    )
