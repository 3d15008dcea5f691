"""URIs in the form in which they are compared, which is that of RFC 3986 6.2.2 and 6.2.3.

Clients percent-encode what they are given, and some write it anew as browsers do: a URI that a server lists comes back
in another spelling.  No pydantic here, since the endpoint compares the URIs of requests.
"""

import re
from typing import Final
from urllib.parse import quote, unquote

from mcp_tasks.authoring.text import sendable
from mcp_tasks.authoring.wording import short

PARTS: Final = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(//[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
"""Scheme, authority, path, query and fragment.  -- RFC 3986, appendix B"""

PORTS: Final = {"http": ":80", "https": ":443", "ws": ":80", "wss": ":443", "ftp": ":21", "file": ""}
"""The schemes whose hosts are names of DNS, and whose empty path is `/`, each with its default port."""

RESERVED: Final = ":/?#[]@!$&'()*+,;="
ESCAPE: Final = re.compile("(%[0-9A-Fa-f]{2})")


def has_scheme(text: str) -> bool:
    """Return whether a text begins with a scheme, as each URI does."""
    found = PARTS.match(text)
    return bool(found and found[1])


def check_uri(uri: object) -> None:
    """Raise `TypeError` or `ValueError` for what is no URI, by the rules of the clients that are strictest."""
    if not isinstance(uri, str):
        raise TypeError(f"a URI is a text, not {short(repr(uri))}")
    if not has_scheme(uri):
        raise ValueError(f"{short(repr(uri))} is not a URI: begin it with a scheme, as in report://2026")
    # Saves 30 ms of every cold start of the endpoint, which checks none.
    from pydantic_core import Url, ValidationError

    try:
        theirs = str(Url(sendable(uri)))
    except ValidationError as error:
        reason = error.errors(include_url=False)[0]["msg"]
        raise ValueError(f"{short(repr(uri))} is not a URI that clients can read: {reason}") from None
    if normalised(theirs) != normalised(sendable(uri)):
        raise ValueError(f"clients write {short(repr(uri))} as {short(repr(theirs))}: write it so")


def normalised(uri: str) -> str:
    """Return a URI in the form in which it is equal to its other spellings; a text that is no URI has one, too."""
    found = PARTS.fullmatch(uri)
    assert found, "the pattern matches any text"
    scheme, authority, path, query, fragment = (part or "" for part in found.groups())
    scheme = scheme.lower()
    authority, path = _escaped(authority), _escaped(path)
    if scheme in PORTS and authority:
        user, at, host = authority[2:].rpartition("@")
        authority = f"//{user}{at}{_upper_escapes(host.lower().removesuffix(PORTS[scheme]))}"
        path = path or "/"
    if path.startswith("/"):
        path = _without_dots(path)
    return f"{scheme}:{authority}{path}{_escaped(query)}{_escaped(fragment)}" if found[1] else _escaped(uri)


def _escaped(part: str) -> str:
    """Return a part with escapes where they are needed and nowhere else; a `%` that begins none is escaped itself."""
    # `split` by a pattern with one group: the odd parts are the escapes.
    return "".join(
        _escape(each) if place % 2 else quote(each, safe=RESERVED, errors="surrogatepass")
        for place, each in enumerate(ESCAPE.split(part))
    )


def _escape(escape: str) -> str:
    plain = unquote(escape)
    # "~" and the like: `quote` knows which characters never need an escape.
    return plain if plain.isascii() and quote(plain, safe="") == plain else escape.upper()


def _upper_escapes(host: str) -> str:
    return ESCAPE.sub(lambda found: found[1].upper(), host)


def _without_dots(path: str) -> str:
    """Return an absolute path without its segments `.` and `..`, as RFC 3986 5.2.4 has it."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
