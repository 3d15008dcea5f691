"""The server and an HTTP exchange as this revision needs them: with sessions and their subscriptions."""

from dataclasses import fields
from typing import Self

from mcp_tasks.records import record
from mcp_tasks.wire.rev_2025_11_25.ports import SessionStore
from mcp_tasks.wire.rev_2025_11_25.recent_sessions import RecentSessions
from mcp_tasks.wire.rev_2025_11_25.sessions import Sessions
from mcp_tasks.wire.rev_2025_11_25.subscriptions import SessionSubscriptions
from mcp_tasks.wire.revision import Exchange, Server


@record
class SessionServer(Server):
    """A server whose clients open sessions."""

    sessions: Sessions
    subscriptions: SessionSubscriptions

    @classmethod
    def of(cls, server: Server, store: SessionStore, recent: RecentSessions) -> Self:
        """Return the server with sessions and subscriptions that are kept in this store."""
        known = {each.name: getattr(server, each.name) for each in fields(Server)}
        change_feed, tasks = server.subscriptions.change_feed, server.tasks
        subscriptions = SessionSubscriptions(store=store, change_feed=change_feed, tasks=tasks)
        sessions = Sessions(store=store, now=tasks.now, recent=recent)
        return cls(**known | {"subscriptions": subscriptions}, sessions=sessions)


@record
class SessionExchange(Exchange):
    """One HTTP request to a server with sessions."""

    server: SessionServer

    @classmethod
    def of(cls, exchange: Exchange, store: SessionStore, recent: RecentSessions) -> Self:
        """Return the exchange with a server whose sessions are kept in this store."""
        known = {each.name: getattr(exchange, each.name) for each in fields(Exchange)}
        return cls(**known | {"server": SessionServer.of(exchange.server, store, recent)})
