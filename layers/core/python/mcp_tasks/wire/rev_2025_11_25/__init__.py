"""Revision 2025-11-25, and the handshake versions before it: sessions, and a `tasks/result` that blocks."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from mcp_tasks.ports.storage import Storage
from mcp_tasks.wire.http import HttpReply
from mcp_tasks.wire.revision import Exchange, Revision

FUNCTIONS: Final = ("await_task",)
"""The functions that are deployed for this revision: its clients hold GETs open, while those of others only POST."""


def revision(storage: Storage) -> Revision:
    """Return this revision, which keeps its sessions in a storage."""

    @cache
    def serve() -> Callable[[Exchange], HttpReply]:
        # Imported with the first request, so that those of another revision do not pay for this one.
        from mcp_tasks.wire.rev_2025_11_25.serve import serving

        return serving(storage)

    def has_method(name: str) -> bool:
        # As above.
        from mcp_tasks.wire.rev_2025_11_25.methods import NAMES

        return name in NAMES

    def versions() -> Sequence[str]:
        # As above.
        from mcp_tasks.wire.rev_2025_11_25.versions import VERSIONS

        return VERSIONS

    def defer(exchange: Exchange) -> HttpReply | None:
        # As above.
        from mcp_tasks.wire.rev_2025_11_25.deferral import defer

        return defer(exchange)

    return Revision(
        name="2025-11-25",
        versions=versions,
        claims=lambda request, message: True,
        serve=lambda exchange: serve()(exchange),
        has_method=has_method,
        has_streams=True,
        defer=defer,
    )
