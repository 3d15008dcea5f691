"""Hostile headers that this revision has a meaning for, or that another revision has."""

from collections.abc import Iterator, Mapping
from typing import Final

from tests.attacks.header_cases import NO_EFFECT, HeaderCase, Refused, header, headers, injections
from tests.attacks.ways import Objects

BAD_REQUEST: Final = Refused(400, (-32600,))
NO_SESSION: Final = Refused(404, (-32600,))
NO_STREAM: Final = Refused(405, (-32600,))
NO_SUCH_VERSION: Final = Refused(400, (-32022,))
LATER_VERSION: Final = Refused(400, (-32022, -32602))
"""The newest revision of a server answers for those to come."""


def of_revision(own: Mapping[str, str], objects: Objects) -> Iterator[HeaderCase]:
    """Yield the cases of a caller whose good request has these headers, beside the owner's objects."""
    session, version = own["mcp-session-id"], own["mcp-protocol-version"]
    yield header("Mcp-Session-Id", None, BAD_REQUEST)
    foreign = objects["session"]["open"]
    for value in (
        *(foreign, f"{session}, {foreign}", f"{foreign}, {session}", f"{session},{session}", f"{session};{foreign}"),
        *("", " ", "*", "null", "undefined", "../", f"{session}/../{foreign}", f"session#{foreign}", f"{session}%00"),
        *(session[:-1], f"{session}=", session.swapcase(), f'"{session}"', "s" * 100_000, "\u00e9", "\ud800"),
        *injections(session),
    ):
        yield header("Mcp-Session-Id", value, NO_SESSION)
    for name in ("Mcp-Session-Id", "mcp-session-id", "MCP-SESSION-ID"):
        yield headers([("Mcp-Session-Id", session), (name, foreign)], NO_SESSION)
        yield headers([("Mcp-Session-Id", foreign), (name, session)], NO_SESSION)
    for value in (
        "2024-01-01",
        "2025-11-25.0",
        "*",
        "",
        f"{version}, {version}",
        *(each for each in injections(version) if each < "2026"),
    ):
        yield header("MCP-Protocol-Version", value, NO_SUCH_VERSION)
    for value in ("9999-99-99", "latest", "v" * 100_000, f"\x7f{version}"):
        yield header("MCP-Protocol-Version", value, LATER_VERSION)
    for name in ("MCP-Protocol-Version", "mcp-protocol-version"):
        yield headers([("MCP-Protocol-Version", version), (name, "2024-01-01")], NO_SUCH_VERSION)
    yield header("MCP-Protocol-Version", None, NO_EFFECT)
    for name, value in (
        *(("Mcp-Method", "tools/call"), ("Mcp-Method", "tasks/list"), ("Mcp-Name", objects["task"]["completed"])),
        *(("Mcp-Name", "\r\n"), ("Mcp-Param-Name", "x"), ("Mcp-Task-Id", objects["task"]["working"])),
        *(("Last-Event-ID", objects["event"]["of a task"]), ("Mcp-Subscription-Id", "1")),
    ):
        yield header(name, value, NO_EFFECT)
    event = objects["event"]["of a task"]
    for value in (
        *(event, objects["event"]["of a session"], f"{event}, {event}", "", "*", "0", "-1", "a.b", ".", "..", "null"),
        *(
            event[:-1],
            f"{event}A",
            "A" * 100_000,
            "." * 10_000,
            "\u00e9.\u00e9",
            "\ud800",
            "W10.W10",
            *injections(event),
        ),
    ):
        yield header("Last-Event-ID", value, NO_STREAM, method="GET")
    yield header("Mcp-Session-Id", foreign, NO_SESSION, method="GET")
    yield headers([("Mcp-Session-Id", foreign), ("Last-Event-ID", event)], NO_SESSION, method="GET")
    yield header("Mcp-Session-Id", foreign, NO_SESSION, method="DELETE")
