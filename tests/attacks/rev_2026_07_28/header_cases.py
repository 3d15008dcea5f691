"""Hostile headers that this revision has a meaning for, or that another revision has."""

import base64
from collections.abc import Iterator, Mapping
from typing import Final

from tests.attacks.header_cases import NO_EFFECT, HeaderCase, Refused, header, headers, injections
from tests.attacks.ways import Objects

MISMATCH: Final = Refused(400, (-32020,))
NO_METHOD: Final = Refused(405, (-32600,))


def of_revision(own: Mapping[str, str], objects: Objects) -> Iterator[HeaderCase]:
    """Yield the cases of a caller whose good request has these headers, beside the owner's objects."""
    method, version, name = own["mcp-method"], own["mcp-protocol-version"], own["mcp-name"]
    other = objects["task"]["completed"]
    encoded = [
        f"=?base64?{base64.b64encode(each.encode()).decode()}?=" for each in (other, f"{name}\x00", f"{name}\r\n")
    ]
    yield header("Mcp-Name", None, NO_EFFECT)
    for named in (
        *(
            other,
            "",
            "*",
            "null",
            f"{name}, {name}",
            f"{other}, {name}",
            f"{name}, {other}",
            f"task#{name}",
            name.upper(),
        ),
        *(name[:-1], f"{name}0", f'"{name}"', f"{name}%00", f"../{name}", "\u00e9", "\ud800", "n" * 100_000, *encoded),
        *("=?base64?====?=", "=?base64?/w==?=", f"=?BASE64?{encoded[0][9:]}", f"=?utf-8?q?{name}?=", *injections(name)),
    ):
        yield header("Mcp-Name", named, MISMATCH)
    for value in (
        *(None, "", "tools/call", "tasks/cancel", "tasks/result", method.upper(), f"{method}/", f"/{method}", "*"),
        *(f"{method}, tasks/cancel", f"tasks/cancel, {method}", f"{method}, {method}", "m" * 100_000),
        *(each for each in injections(method) if each.strip() != method),
    ):
        yield header("Mcp-Method", value, MISMATCH)
    for value in (
        *(
            None,
            "",
            "2025-11-25",
            "2024-01-01",
            "9999-99-99",
            "latest",
            f"{version}, 2025-11-25",
            f"{version}, {version}",
        ),
        *("v" * 100_000, *(each for each in injections(version) if each.strip() != version)),
    ):
        yield header("MCP-Protocol-Version", value, MISMATCH)
    for of, right, wrong in (
        ("Mcp-Name", name, other),
        ("Mcp-Method", method, "tasks/cancel"),
        ("MCP-Protocol-Version", version, "2025-11-25"),
    ):
        for again in (of, of.lower(), of.upper()):
            yield headers([(of, right), (again, wrong)], MISMATCH)
            yield headers([(of, wrong), (again, right)], MISMATCH)
    for ignored, told in (
        *(("Mcp-Session-Id", "s" * 43), ("Mcp-Session-Id", "*"), ("Mcp-Session-Id", "\r\n"), ("Last-Event-ID", "a.b")),
        *(
            ("Mcp-Param-Taskid", other),
            ("Mcp-Param-Name", "\x00"),
            ("Mcp-Task-Id", other),
            ("Mcp-Subscription-Id", "1"),
        ),
    ):
        yield header(ignored, told, NO_EFFECT)
    for unknown in ("GET", "DELETE"):
        yield header("Last-Event-ID", "a.b", NO_METHOD, method=unknown)
        yield header("Mcp-Session-Id", "s" * 43, NO_METHOD, method=unknown)
