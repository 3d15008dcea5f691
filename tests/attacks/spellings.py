"""What is not spelt as a token is: good ones with something added, left out or changed, and formats that are no JWT."""

import base64
import json
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

from tests.tokens import encoded, token

Case = tuple[str, str]

OTHERS: Final = (
    *("", " ", ".", "..", "...", "....", "a", "a.b", "a.b.c", "a.b.c.d", "null", "undefined", "None", "0", "true"),
    *("{}",),
    *("[object Object]", "TOKEN", "anonymous", "acme#ada", "Bearer", "eyJ", "eyJ.eyJ.eyJ", "W10.e30.e30"),
    *("bnVsbA.e30.e30",),
    *("v4.public.eyJ0ZW5hbnQiOiJhY21lIn0", "v2.local.AAAA", "ya29.A0ARrdaM", "ghp_0123456789", "sk-0123456789"),
    *("AKIA0123",),
    *("eyJhbGciOiJFUzI1NiJ9.e30", "eyJhbGciOiJFUzI1NiJ9.e30.", "eyJhbGciOiJub25lIn0.e30.", "-----BEGIN", "A" * 100_000),
    *("." * 10_000, "é.é.é", "\ud800", "\x00", "..%2f..", "a.b.c~d~", "<script>", "' OR 1=1"),
    *("${jndi:ldap://evil.test}",),
)


MORE: Final = (
    *(".", "..", ".e30", "=", "==", "===", "A", "AA", "AAAA", "~", "%00", "\x00", "\n", "\r", "\x0b", "\x1c", "\u00a0"),
    *("\u2028", "\ufeff", ",", ";", "#", "?a=b", "/", "+", "-", "_"),
)
"""What is no white space of HTTP."""


def changed(good: str) -> Iterator[Case]:
    """Yield a good token with any one of its characters changed, and with something added, left out or moved."""
    places = [place for place, character in enumerate(good) if character != "."]
    for place in sorted({*places[::3], *places[-3:]}):
        yield f"character {place} changed", f"{good[:place]}{'A' if good[place] != 'A' else 'B'}{good[place + 1 :]}"
    for place in range(0, len(good), 7):
        yield f"cut after {place}", good[:place]
        yield f"without the first {place + 1}", good[place + 1 :]
    yield from _with_other_parts(good.split("."))
    for more in MORE:
        yield f"followed by {more!r}", good + more
        yield f"after {more!r}", more + good
    yield from _converted(good)


def _with_other_parts(parts: Sequence[str]) -> Iterator[Case]:
    for number, part in enumerate(parts):
        for what, other in _other_parts(part):
            yield f"part {number} {what}", ".".join([*parts[:number], other, *parts[number + 1 :]])
    for order in permutations(range(len(parts))):
        if list(order) != sorted(order):
            yield f"parts in the order {order}", ".".join(parts[number] for number in order)


def _converted(good: str) -> Iterator[Case]:
    yield "quoted", f'"{good}"'
    yield "in angle brackets", f"<{good}>"
    yield "twice", good + good
    yield "twice, with a comma", f"{good},{good}"
    yield "with two dots", good.replace(".", "..")
    yield "between dots", f".{good}."
    yield "as base64", base64.b64encode(good.encode()).decode()
    yield "in reverse", good[::-1]
    yield "in capitals", good.upper()
    yield "in small letters", good.lower()
    yield "percent-encoded", good.replace(".", "%2E")
    yield "with other dots", good.replace(".", "\N{IDEOGRAPHIC FULL STOP}")
    yield "folded", good.replace(".", ".\r\n ")


def _other_parts(part: str) -> Iterator[Case]:
    padded = part + "=" * (-len(part) % 4)
    yield "missing", ""
    yield "twice", part * 2
    if padded != part:
        yield "padded", padded
    yield "padded too much", f"{padded}===="
    yield "without its last character", part[:-1]
    yield "with another last character", part + "A"
    yield "with a space", f"{part[:5]} {part[5:]}"
    yield "with a line break", f"{part[:5]}\n{part[5:]}"
    yield "with a NUL", f"{part[:5]}\x00{part[5:]}"
    yield "with what base64 has not", f"{part[:5]}!{part[5:]}"
    yield "with a star", f"{part[:5]}*{part[5:]}"
    yield "in base64 of base64", encoded(part.encode()).decode()
    yield "decoded", base64.urlsafe_b64decode(padded).decode("latin-1")
    if part[-1] in "AQgw":
        # The last character of such a part has bits that are not used.
        yield "with unused bits", part[:-1] + chr(ord(part[-1]) + 1)
    for ours, other in [("-", "+"), ("_", "/")]:
        if ours in part:
            yield f"with {other} for {ours}", part.replace(ours, other)


def other_formats() -> Iterator[Case]:
    """Yield what is no signed JWT in its compact serialisation."""
    for text in OTHERS:
        yield f"{text[:20]!r}, {len(text)} long", text
    head, body, signature = token().split(".")
    general = {"payload": body, "signatures": [{"protected": head, "signature": signature}]}
    flattened = {"payload": body, "protected": head, "signature": signature}
    for what, document in {"general": general, "flattened": flattened}.items():
        yield f"JWS JSON, {what}", json.dumps(document)
        yield f"JWS JSON, {what}, encoded", encoded(json.dumps(document).encode()).decode()
    for algorithm in ("dir", "RSA-OAEP", "ECDH-ES", "A256KW", "PBES2-HS256+A128KW"):
        for kid in ({"kid": "one"}, {}):
            header = {"alg": algorithm, "enc": "A256GCM", "p2c": 2_000_000_000, **kid}
            parts = [json.dumps(header).encode(), b"k" * 32, b"i" * 12, body.encode(), b"t" * 16]
            yield f"encrypted by {algorithm}, {kid}", b".".join(encoded(part) for part in parts).decode()
    yield "detached", f"{head}..{signature}"
    yield "unsecured", f"{head}.{body}."
    yield "a signature alone", f"..{signature}"
