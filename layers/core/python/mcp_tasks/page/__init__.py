"""The console: one HTML file by which people see their tasks, run tools and answer questions, and how it is served.

It speaks MCP to the path `mcp` beside its own address, and to the issuer at login.  API Gateway renders it as a
Velocity template, so it has no character that means something there.
"""

import base64
import re
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final

FILE: Final = files(__name__) / "console.html"

NO_CLIENT: Final = '<meta name="client-id" content="">'
NO_SCOPE: Final = '<meta name="operator-scope" content="">'
CLIENT_ID: Final = re.compile(r"[A-Za-z0-9._~:/?&=%@+-]+")
"""A client id, which may be an https URL; none has a character that means something to Velocity."""


def console(client_id: str = "", operator_scope: str = "") -> str:
    """Return the page, which offers a login if it has the id of a public client at the issuer.

    A login at the view of tenants asks for the scope of operators, too.
    """
    if client_id and not CLIENT_ID.fullmatch(client_id):
        raise ValueError(f"a client id has letters, digits and ._~:/?&=%@+- alone, unlike {client_id!r}")
    # Velocity has none of these, and attributes are in quotes.
    if set(operator_scope) & set('$#"'):
        raise ValueError(f"the page cannot have the scope {operator_scope!r}")
    text = FILE.read_text(encoding="utf-8")
    for empty, value in ((NO_CLIENT, client_id), (NO_SCOPE, operator_scope)):
        text = text.replace(empty, empty.replace('""', f'"{escape(value)}"'), 1)
    return text


def console_headers(origins: Iterable[str] = ()) -> dict[str, str]:
    """Return the headers of the page, which may fetch from its own origin, and for the login from these `origins`."""
    return {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        "content-security-policy": content_security_policy(origins),
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }


def content_security_policy(origins: Iterable[str] = ()) -> str:
    """Return the policy, by which nothing runs but the one script, and no text can become HTML or a script."""
    text = FILE.read_text(encoding="utf-8")
    rules = {
        "default-src": "'none'",
        "script-src": _hash_of("script", text),
        "style-src": _hash_of("style", text),
        "connect-src": " ".join(["'self'", *origins]),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "".join(f"{name} {value}; " for name, value in rules.items()).strip()


def _hash_of(tag: str, text: str) -> str:
    (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    return f"'sha256-{base64.b64encode(sha256(content.encode()).digest()).decode()}'"
