"""Tokens that nobody may be admitted by where a stage has several issuers, in groups; each is good but for its name.

`HOUSE` has tenants as they are, `GUESTS` has a prefix before them, and `POOL` is one tenant, whose tokens name a client
and no audience.  All of them call a key of theirs "one".
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec

from tests.attacks import claims as of_claims
from tests.attacks.tokens import Case, by, signed
from tests.key_server import public_jwk
from tests.tokens import AUDIENCE, ISSUER, KEY, OTHER_KEY


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """An issuer of the stage: its key, what its tokens say beside who the caller is, and what the stage says of it."""

    iss: str
    key: ec.EllipticCurvePrivateKey
    claims: Mapping[str, Any]
    settings: Mapping[str, str]

    def token(self, key: ec.EllipticCurvePrivateKey | None = None, *, kid: Any = "one", **changes: Any) -> str:
        """Return a good token with some claims changed; one given as `LEFT_OUT` is not there."""
        claims = of_claims.good(**{"aud": LEFT_OUT, "iss": self.iss, **self.claims, **changes})
        payload = {name: value for name, value in claims.items() if value is not LEFT_OUT}
        return signed({"alg": "ES256", "kid": kid}, payload, by(key or self.key))


LEFT_OUT: Final[Any] = object()
CLIENT: Final = "4fb3kq1s"
PREFIX: Final = "guests:"
SHOP: Final = "shop"

HOUSE: Final = Who(iss=ISSUER, key=KEY, claims={"aud": AUDIENCE}, settings={"AUDIENCE": AUDIENCE})
GUESTS: Final = Who(
    iss="https://guests.test",
    key=OTHER_KEY,
    claims={"aud": "https://guests.test/api"},
    settings={"AUDIENCE": "https://guests.test/api", "TENANT_PREFIX": PREFIX},
)
POOL: Final = Who(
    iss="https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEfGhI",
    key=ec.generate_private_key(ec.SECP256R1()),
    claims={"client_id": CLIENT, "token_use": "access"},
    settings={"CLIENT_IDS": f"{CLIENT},5def", "TENANT": SHOP},
)
STAGE: Final = {"house": HOUSE, "guests": GUESTS, "pool": POOL}
STRANGER: Final = ec.generate_private_key(ec.SECP256R1())

NO_NAMES: Final[tuple[Any, ...]] = ("", None, [], ["acme"], {"id": "acme"}, 7, True, False)
AUDIENCES: Final[tuple[Any, ...]] = (
    *(CLIENT, [CLIENT], AUDIENCE, POOL.iss, "", [], {}, None, 0, False, ["5def", CLIENT], "*"),
)
MORE_CLAIMS: Final[Mapping[str, Mapping[str, Any]]] = {
    "too many claims": {f"claim {place}": place for place in range(300)},
    "a claim too long": {"name": "é" * 1_000},
    "no number": {"n": float("nan")},
    "no end": {"n": float("inf")},
    "half a letter": {"name": "\udfff"},
}
"""What is added to an actor that would be good without it."""

NESTED: Final = 3_000
"""Deeper than Python's parser recurses, and short enough for a header."""


def exchanged_keys() -> Iterator[Case]:
    """Yield tokens of one issuer that another one signed, or that lead to another one's keys."""
    for (name, who), (other_name, other) in permutations(STAGE.items(), 2):
        for kid in ("one", "two", other.iss, f"{other.iss}#one", f"{other_name}/one", None):
            yield f"of {name}, signed by {other_name} as {kid}", who.token(other.key, kid=kid)
        yield f"of {name}, with the claims of {other_name}", who.token(other.key, **other.claims)
        for header in (
            {"iss": other.iss},
            {"jku": f"{other.iss}/jwks.json"},
            {"jwk": public_jwk(other.key.public_key())},
            {"x5u": other.iss},
        ):
            payload = of_claims.good(iss=who.iss, **who.claims)
            forged = signed({"alg": "ES256", "kid": "one", **header}, payload, by(other.key))
            yield f"of {name}, signed by {other_name}, with {', '.join(header)} in its header", forged
        yield from _two_issuers(name, who, other_name, other)


def _two_issuers(name: str, who: Who, other_name: str, other: Who) -> Iterator[Case]:
    """Yield tokens that name two issuers; the last one counts."""
    written = json.dumps(of_claims.good(iss=who.iss, **who.claims))
    both = f"{written[:-1]}, {json.dumps('iss')}: {json.dumps(other.iss)}}}"
    for signer, key in {name: who.key, "a stranger": STRANGER}.items():
        forged = signed({"alg": "ES256", "kid": "one"}, both, by(key))
        yield f"of {name}, then of {other_name}, signed by {signer}", forged
    for what, iss in {
        "a list": [who.iss, other.iss],
        "joined by a space": f"{who.iss} {other.iss}",
        "joined by a comma": f"{who.iss},{other.iss}",
        "an object": {who.iss: other.iss},
    }.items():
        for signer, key in {name: who.key, other_name: other.key}.items():
            yield f"of {name} and {other_name}, {what}, signed by {signer}", who.token(key, iss=iss)


def spelt_otherwise() -> Iterator[Case]:
    """Yield issuers that are nearly those of the stage, signed by each of them: nobody is to be asked for keys."""
    for name, who in STAGE.items():
        for iss in (each for each in _spellings(who.iss) if each != who.iss):
            for signer, other in STAGE.items():
                yield f"iss {iss!r} for {name}, signed by {signer}", who.token(other.key, iss=iss)
    for iss in (*of_claims.ODD, [None], "*", "null", "https://evil.test", "https://*", "file:///dev/null", "\ud800"):
        yield f"iss {iss!r}", HOUSE.token(iss=iss)
    yield "no iss", HOUSE.token(iss=LEFT_OUT)
    yield "iss null", HOUSE.token(iss=None)


def _spellings(iss: str) -> Iterator[Any]:
    host = iss.removeprefix("https://")
    yield from (f"{iss}/", f"{iss}//", f"{iss}/.", f"{iss}#", f"{iss}?", f" {iss}", f"{iss} ", f"{iss}\n", f"{iss}\x00")
    yield from (iss.upper(), iss.capitalize(), iss.title(), f"http://{host}", host, f"//{host}", f"https:/{host}")
    yield from (f"https://{host}.evil.test", f"https://evil.test/{iss}", f"https://{host}@evil.test", iss[:-1])
    yield from (f"{iss}/../{host}", f"{iss}%2F", f"{iss};", f"{iss}\u200b", f"\ufeff{iss}", f"{iss}\u0301")
    # A Cyrillic letter, a wide one, one that NFKC makes an "s", and one that lower() makes two of.
    yield from (iss.replace("e", "\u0435", 1), iss.replace("t", "\uff54", 1), iss.replace("s", "\u017f", 1))
    yield from (iss.replace("i", "\u0130", 1), [iss], {iss: True}, {"iss": iss}, [[iss]])
    if iss.endswith("AbCdEfGhI"):
        yield from (iss.replace("AbCdEfGhI", "abcdefghi"), iss.replace("eu-west-1_", "eu-west-2_"))


def tenants_of_others() -> Iterator[Case]:
    """Yield tokens that name a tenant which the stage gives to another issuer."""
    for tenant in (SHOP, PREFIX, f"{PREFIX}acme", f"{PREFIX}{PREFIX}acme", f"{PREFIX} ", f"{PREFIX}\x00", f"{PREFIX}é"):
        for subject in ("ada", "eve", f"{PREFIX}ada"):
            yield f"house names {tenant!r}, {subject}", HOUSE.token(tenant=tenant, sub=subject)
    for tenant in (*NO_NAMES, LEFT_OUT, "t" * 900):
        yield f"guests name {_named(tenant)}", GUESTS.token(tenant=tenant)
    for subject in (*NO_NAMES, LEFT_OUT, "s" * 900):
        for name, who in STAGE.items():
            yield f"{name} names the subject {_named(subject)}", who.token(sub=subject)


def _named(value: Any) -> str:
    return "nobody" if value is LEFT_OUT else f"{str(value)[:20]!r} ({type(value).__name__})"


def exchanged_audiences() -> Iterator[Case]:
    """Yield tokens of one issuer for the audience, or the clients, of another one."""
    for (name, who), (other_name, other) in permutations(STAGE.items(), 2):
        if "aud" in who.claims:
            taken = {"aud": LEFT_OUT, **other.claims}
            yield f"of {name}, for whom {other_name} issues", who.token(**taken)
            yield f"of {name}, for {other_name} in a list", who.token(aud=[other.claims.get("aud", CLIENT)])
            yield f"of {name}, for {other_name} by its name", who.token(aud=other.iss)
        else:
            yield f"of {name}, for the audience of {other_name}", who.token(**other.claims)
            yield f"of {name}, for that of {other_name} in a list", who.token(aud=[other.claims["aud"]])
    for name, who in {"house": HOUSE, "guests": GUESTS}.items():
        for client in (CLIENT, who.claims["aud"], [who.claims["aud"]], None):
            for use in ("access", LEFT_OUT):
                yield (
                    f"of {name}, no aud, client_id {client!r}, {'access' if use == 'access' else 'no use'}",
                    who.token(aud=LEFT_OUT, client_id=client, token_use=use),
                )


def clients() -> Iterator[Case]:
    """Yield tokens of the pool that are no access tokens of a listed client without an audience."""
    texts = (CLIENT.upper(), f"{CLIENT} ", f" {CLIENT}", f"{CLIENT},5def", f"{CLIENT} 5def", f"{CLIENT}\x00")
    more = (f"{CLIENT}x", CLIENT[:-1], CLIENT.replace("s", "\u017f"), CLIENT.replace("b", "\u0184"))
    for client in (*texts, *more, *of_claims.ODD, ",", "*", [CLIENT], {CLIENT: True}, [[CLIENT]], None, LEFT_OUT):
        yield f"client_id {client!r}" if client is not LEFT_OUT else "no client_id", POOL.token(client_id=client)
    for claim in ("azp", "cid", "appid", "aud", "clientId", "client_ID", "sub"):
        changes: dict[str, Any] = {"client_id": LEFT_OUT, claim: CLIENT}
        yield f"{claim} in place of client_id", POOL.token(**changes)
    for use in ("id", "refresh", "ACCESS", "access ", " access", "acc\u0435ss", *of_claims.ODD, ["access"], None):
        yield f"token_use {use!r}", POOL.token(token_use=use)
    yield "no token_use", POOL.token(token_use=LEFT_OUT)
    for aud in AUDIENCES:
        yield f"aud {aud!r}", POOL.token(aud=aud)
        yield f"aud {aud!r}, an ID token", POOL.token(aud=aud, token_use="id", client_id=LEFT_OUT)


def acting() -> Iterator[Case]:
    """Yield tokens that say that somebody acts, and not who; or so much of it that it would do harm."""
    chain: dict[str, Any] = {"sub": "agent"}
    for length in range(2, 61):
        chain = {"sub": "agent", "act": chain}
        if length in (9, 10, 20, 60):
            for name, who in STAGE.items():
                yield f"{length} actors, {name}", who.token(act=chain)
    for sub in (*NO_NAMES, {"sub": "agent"}, "\ud800", "a" * 2_000):
        yield f"act has the sub {_named(sub)}", HOUSE.token(act={"sub": sub})
        yield f"within an actor, act has the sub {_named(sub)}", HOUSE.token(act={"sub": "a", "act": {"sub": sub}})
    for act in ("agent", "", 0, 7, 1.5, True, False, [], {}, ["agent"], [{"sub": "agent"}], {"SUB": "a"}, {"": ""}):
        yield f"act {act!r}", HOUSE.token(act=act)
        yield f"within an actor, act {act!r}", HOUSE.token(act={"sub": "agent", "act": act})
    for what, more in MORE_CLAIMS.items():
        yield f"act with {what}", HOUSE.token(act={"sub": "agent", **more})
    yield from _bombs()


def _bombs() -> Iterator[Case]:
    """Yield what is nested deeper than Python's parser goes, signed and not: it is parsed to find the issuer."""
    good = json.dumps(of_claims.good(act="?"))
    for what, (opening, closing) in {
        "lists": ("[", "]"),
        "objects": ('{"a":', "}"),
        "actors": ('{"sub":"a","act":', "}"),
    }.items():
        bomb = good.replace('"?"', f"{opening * NESTED}0{closing * NESTED}")
        for signer, key in {"house": KEY, "a stranger": STRANGER}.items():
            yield f"{NESTED} {what}, signed by {signer}", signed({"alg": "ES256", "kid": "one"}, bomb, by(key))
            torn = good.replace('"?"', opening * NESTED)
            yield f"{NESTED} {what} never closed, signed by {signer}", signed({"alg": "ES256"}, torn, by(key))


GROUPS: Final[Mapping[str, Callable[[], Iterable[Case]]]] = {
    "keys of another issuer": exchanged_keys,
    "spellings of an issuer": spelt_otherwise,
    "tenants of another issuer": tenants_of_others,
    "audiences of another issuer": exchanged_audiences,
    "clients": clients,
    "actors": acting,
}
