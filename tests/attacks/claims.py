"""Claims that no access token for this server has, each wrong in one place."""

import json
import math
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.tokens import AUDIENCE, ISSUER

Claims = tuple[str, Any]
"""What is wrong, and the claims."""

ODD: Final[tuple[Any, ...]] = (True, False, 0, 1, 1.5, [], [[]], {}, {"": ""}, "", " ")
"""What is no name, address or time."""

DAY: Final = 86_400

ISSUERS: Final[tuple[Any, ...]] = (
    *("https://issuer.test/", "https://issuer.test//", "https://ISSUER.test", "HTTPS://issuer.test", "issuer.test"),
    *("http://issuer.test", "https://issuer.test:443", "https://issuer.test.", "https://issuer.test?"),
    *(" https://issuer.test",),
    *("https://issuer.test ", "https://issuer.test\x00", "https://issuer.test\n", "https://issuer.test#"),
    *("//issuer.test",),
    *("https://issuer.test.evil.test", "https://evil.test/https://issuer.test", "https://issuer.test@evil.test"),
    *("https://xissuer.test", "https://issuer.tes", "https://issuer.test/tenant", "https://issu\u0435r.test"),
    *("https:/issuer.test",),
    *("https://issuer%2Etest", "*", "https://*", "null", "undefined", "https://issuer.test,https://evil.test"),
    *([ISSUER], [ISSUER, ISSUER], ["https://evil.test", ISSUER], {ISSUER: True}, {"iss": ISSUER}, [[ISSUER]]),
)
AUDIENCES: Final[tuple[Any, ...]] = (
    *("https://mcp.test/", "https://MCP.test", "http://mcp.test", "mcp.test", "https://mcp.test/mcp"),
    *("https://mcp.test ",),
    *(" https://mcp.test", "https://mcp.test\x00", "https://mcp.test.evil.test", "https://evil.test", "*", "https://*"),
    *("https://mcp.test,https://evil.test", "https://mcp.test https://evil.test", "https://mcp.tes", "account", "null"),
    *("https://mcp.test#", "https://mcp.test?", "https://mcp.test:443", "https://m\u0441p.test"),
    *("urn:https://mcp.test",),
    *(["https://evil.test"], ["https://mcp.test/"], ["https://evil.test", "https://mcp.test "], [["https://mcp.test"]]),
    *({"https://mcp.test": True}, {"aud": "https://mcp.test"}, [{"aud": "https://mcp.test"}], [None], [AUDIENCE, None]),
    *([AUDIENCE, 1], [AUDIENCE, [AUDIENCE]]),
)
NAMES: Final[tuple[Any, ...]] = (
    *(ODD[:-1]),  # A space is a name.
    *(["acme"], ["acme", "rival"], {"id": "acme"}, {"acme": True}, [["acme"]], -1, 10**30, 1e300),
    *("\ud800", "acme\udfff", "\udc00\ud800", "t" * 901, "é" * 151, "%" * 301, "t" * 1_000_000),
)
SCOPES: Final[tuple[Any, ...]] = (
    *(True, False, 0, 1, 1.5, {}, {"read": True}, [[]], [["read"]], [1], [None], [""], [" "], ["read admin"]),
    *(["read\tadmin"],),
    *(["read", 7], ["read", {}], ["read\nadmin"], [" read"], ["read "], ["read\u00a0admin"], ["read", True]),
)
KINDS: Final[tuple[Any, ...]] = (
    *("logout+jwt", "dpop+jwt", "secevent+jwt", "JWE", "id+jwt", "rt+jwt", "token-introspection+jwt"),
    *("application/jose",),
    *("application/dpop+jwt", "entity-statement+jwt", "oauth-authz-req+jwt", "kb+jwt", "vc+sd-jwt", "dc+sd-jwt"),
    *("passport",),
    *("at+jwt;charset=utf-8", "at+jwt ", "at jwt", "JWT;x", "JWTT", "application/application/jwt", "text/jwt", "", " "),
    *(0, 1, 1.5, True, False, [], ["at+jwt"], {}, {"at+jwt": True}),
)
OF_OTHER_KINDS: Final[Mapping[str, tuple[Any, ...]]] = {
    "token_use": ("id", "refresh", "ID", "Access", "", 0, True, ["access"], {"access": 1}),
    "typ": ("ID", "Refresh", "Offline", "Logout", "id", "OFFLINE"),
    "nonce": ("n", "", 0, []),
    "at_hash": ("h",),
    "c_hash": ("h",),
    "cnf": ({}, {"jkt": "x"}, {"x5t#S256": "x"}, {"jwk": {}}, {"kid": "one"}, [], "", 0, None),
}


def good(**changes: Any) -> dict[str, Any]:
    """Return the claims of a good token with some changed."""
    now = int(time.time())
    return {"iss": ISSUER, "aud": AUDIENCE, "exp": now + 3_600, "iat": now, "tenant": "acme", "sub": "ada"} | changes


def wrong() -> Iterator[Claims]:
    """Yield claims of which one is missing or wrong."""
    for name in ("iss", "aud", "exp", "tenant", "sub"):
        yield f"no {name}", {key: value for key, value in good().items() if key != name}
        yield f"{name} null", good(**{name: None})
    for name, values in [("iss", (*ODD, *ISSUERS)), ("aud", (*ODD, *AUDIENCES)), *OF_OTHER_KINDS.items()]:
        for value in values:
            yield f"{name} {value!r}", good(**{name: value})
    for name, values in [("tenant", NAMES), ("sub", NAMES), ("scope", SCOPES)]:
        for value in values:
            yield f"{name} {str(value)[:40]!r} ({type(value).__name__}, {len(str(value))})", good(**{name: value})
    yield "names of those who did not say who they are", good(tenant="anonymous", sub="anonymous")
    yield "names that are too long together", good(tenant="t" * 450, sub="s" * 450)
    yield "claims in claims", {"claims": good()}
    yield from _times()
    yield from _no_claims()


def _times() -> Iterator[Claims]:
    now = int(time.time())
    for name, near in [("exp", now + 60), ("iat", now - 60), ("nbf", now - 60)]:
        texts = (str(near), f"{near} ", f"{near}.0", f"{near}.5", hex(near), "soon", "1e10", "2027-01-01T00:00:00Z")
        for value in (*texts, *ODD[5:], [near], {"": near}, True, False, math.nan, math.inf, -math.inf):
            yield f"{name} {value!r}", good(**{name: value})
        for digits in ("9" * 5_000, "1e999", f"{near}.", f"0{near}", f"+{near}"):
            yield f"{name} is {digits[:20]}", json.dumps(good(**{name: "?"})).replace('"?"', digits)
    for ago in (31, 60, 61, 3_600, DAY, 365 * DAY, now, now + 1, 10**15):
        yield f"expired {ago} s ago", good(exp=now - ago, iat=now - ago - 60)
        yield f"expired {ago}.5 s ago", good(exp=now - ago - 0.5, iat=now - ago - 60)
    for ahead in (60, 3_600, DAY, 365 * DAY, 10**10, 10**18):
        yield f"not valid for another {ahead} s", good(nbf=now + ahead)
        yield f"issued in {ahead} s", good(iat=now + ahead)
    for days in (1.01, 2, 30, 365, 10_000, 10**9, 10**300):
        yield f"lasts {days} days", good(exp=int(now + days * DAY) if days < 10**9 else float(days))
        yield f"lasts {days} days, of which an hour is left", good(iat=now - days * DAY + 3_600)


def _no_claims() -> Iterator[Claims]:
    """Yield payloads that are no objects, or that name a claim twice; the last one counts."""
    for text in (
        "",
        " ",
        "null",
        "true",
        "0",
        '"acme"',
        "[]",
        '["tenant", "acme"]',
        "{}",
        "[" * 5_000,
        "{",
        "{]",
        "NaN",
    ):
        yield f"claims {text[:20]!r}", text
    written = json.dumps(good())
    for cut in (1, 2, 10, len(written) // 2):
        yield f"{cut} characters are missing", written[:-cut]
    for more in ("}", " x", "{}", "\x00", ",", "//"):
        yield f"followed by {more!r}", written + more
    for name, value in [
        ("aud", "https://evil.test"),
        ("iss", "https://evil.test"),
        ("exp", 0),
        ("tenant", ""),
        ("sub", 7),
    ]:
        yield f"{name} twice, the last wrong", f"{written[:-1]}, {json.dumps(name)}: {json.dumps(value)}}}"
    yield "a name in two encodings", written.replace('"tenant"', '"tenant\\u0000"')
