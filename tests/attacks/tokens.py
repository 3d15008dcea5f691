"""Tokens that nobody may be admitted by, in groups: each differs from a good one in what its name says."""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.attacks import claims as of_claims
from tests.attacks import spellings
from tests.key_server import public_jwk
from tests.tokens import KEY, OTHER_KEY, RSA_KEY, compact, encoded, token

Case = tuple[str, str]
"""What is wrong, and the token."""

Sign = Callable[[bytes], bytes]

ES256: Final = jwt.get_algorithm_by_name("ES256")
RS256: Final = jwt.get_algorithm_by_name("RS256")
PEM: Final = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
DER: Final = KEY.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
RSA_PEM: Final = RSA_KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
JWK: Final = json.dumps(public_jwk(KEY.public_key()))

ALGORITHMS: Final[tuple[Any, ...]] = (
    *("none", "None", "NONE", "nOnE", "none ", "", " ", "null", "HS256", "HS384", "HS512", "hs256", "ES384", "ES512"),
    *("ES256K", "es256", "ES256 ", " ES256", "ES256\x00", "ES256,none", "PS256", "PS384", "PS512", "RS384", "RS512"),
    *("EdDSA", "Ed25519", "RSA-OAEP", "RSA1_5", "dir", "A256KW", "ECDH-ES", "SHA256", "../ES256", None, True, 0, 256),
    *([], ["ES256"], {}, {"ES256": True}, 1.5),
)
SECRETS: Final[Mapping[str, bytes]] = {
    "the key as PEM": PEM,
    "the key as PEM, without its last line break": PEM.rstrip(),
    "the key as DER": DER,
    "the key as JWK": JWK.encode(),
    "the key's x": json.loads(JWK)["x"].encode(),
    "the RSA key as PEM": RSA_PEM,
    "the name of the key": b"one",
    "nothing": b"",
    "a word": b"secret",
    "the issuer": b"https://issuer.test",
}
KIDS: Final[tuple[Any, ...]] = (
    *("", " ", "ONE", "One", "one ", " one", "one\n", "one\x00", "\x00one", "on", "onee", "one#", "one/../one"),
    *("./one",),
    *("../../../../dev/null", "/dev/null", "file:///dev/null", "C:\\NUL", "https://evil.test/key", "//evil.test/key"),
    *("one' OR '1'='1", "one; --", "x' UNION SELECT 'secret", "one|cat /etc/passwd", "$(id)", "`id`", "{{7*7}}"),
    *("${jndi:ldap://evil.test/a}", "%6f%6e%65", "o%00ne", "öne", "\u043ene", "\uff4f\uff4e\uff45", "o\u200bne"),
    *("one\r\nX: y", "*", "0"),
    *("k" * 10_000, None, True, 0, 1, 1.5, [], ["one"], {}, {"one": "one"}, [["one"]]),
)
BROUGHT: Final[Mapping[str, Mapping[str, Any]]] = {
    "jwk": {"jwk": public_jwk(OTHER_KEY.public_key())},
    "jwk with the name of ours": {"jwk": {**public_jwk(OTHER_KEY.public_key()), "kid": "one"}},
    "jku": {"jku": "https://evil.test/jwks.json"},
    "jku on this machine": {"jku": "http://127.0.0.1:1/jwks.json"},
    "jku of a file": {"jku": "file:///etc/passwd"},
    "jku of the issuer, with user info": {"jku": "https://issuer.test@evil.test/jwks.json"},
    "x5u": {"x5u": "https://evil.test/cert.pem"},
    "x5c": {"x5c": ["MIIB"]},
    "x5t": {"x5t": "AAAA"},
    "x5t#S256": {"x5t#S256": "AAAA"},
    "keys": {"keys": [{**public_jwk(OTHER_KEY.public_key()), "kid": "one"}]},
    "epk": {"epk": public_jwk(OTHER_KEY.public_key())},
    "url": {"url": "https://evil.test"},
    "iss": {"iss": "https://issuer.test"},
    "crit of these": {"crit": ["jwk", "jku"], "jwk": public_jwk(OTHER_KEY.public_key()), "jku": "https://evil.test"},
}
NO_NAMES: Final[tuple[Any, ...]] = ([], {}, "exp", "b64", None, 1, True, [1], [None], [[]])
CRITICAL: Final[Mapping[str, Mapping[str, Any]]] = {
    **{f"crit {value!r}": {"crit": value} for value in NO_NAMES},
    **{
        f"crit names {name}": {"crit": [name], name: True}
        for name in ("exp", "http://example.test/x", "alg", "", "iss")
    },
    "crit names what is not there": {"crit": ["b64"]},
    "unencoded": {"b64": False, "crit": ["b64"]},
    "unencoded, and not critical": {"b64": False},
}


def signed(header: Any, payload: Any = None, sign: Sign | None = None) -> str:
    """Return a token with any header and payload, signed with the issuer's key."""
    return compact(header, of_claims.good() if payload is None else payload, sign or by(KEY))


def by(key: Any) -> Sign:
    """Return what signs with a key, by the one algorithm that is accepted for it."""
    algorithm = RS256 if key is RSA_KEY else ES256
    return lambda data: algorithm.sign(data, key)


def by_secret(secret: bytes, name: str = "sha256") -> Sign:
    """Return what signs with a shared secret."""
    return lambda data: hmac.digest(secret, data, name)


UNSIGNED: Final[Sign] = lambda _: b""  # noqa: E731  (one of several values of its kind)


def algorithms() -> Iterator[Case]:
    """Yield algorithms that are not accepted, or not for this key, with each kind of signature."""
    signatures = {"unsigned": UNSIGNED, "signed": by(KEY), "signed with the public key": by_secret(PEM)}
    for kid in ("one", "rsa"):
        for name in ALGORITHMS:
            for how, sign in signatures.items():
                yield f"alg {name!r} of {kid}, {how}", signed({"alg": name, "kid": kid}, sign=sign)
        for how, sign in signatures.items():
            yield f"no alg, of {kid}, {how}", signed({"kid": kid}, sign=sign)
    for kid, name, key in [("one", "RS256", RSA_KEY), ("rsa", "ES256", KEY), ("rsa", "ES256", RSA_KEY)]:
        by_which = "RSA" if key is RSA_KEY else "EC"
        yield (
            f"{name} with the name of the key {kid}, by {by_which}",
            signed({"alg": name, "kid": kid}, sign=by(key)),
        )


def secrets() -> Iterator[Case]:
    """Yield what is signed with something that everybody knows, as if it were a shared secret."""
    for what, secret in SECRETS.items():
        for name, digest in [("HS256", "sha256"), ("HS384", "sha384"), ("HS512", "sha512"), ("ES256", "sha256")]:
            yield f"{name} with {what}", signed({"alg": name, "kid": "one"}, sign=by_secret(secret, digest))


def key_names() -> Iterator[Case]:
    """Yield names of keys that the issuer does not have, on a token of the issuer and on forged ones."""
    for name in KIDS:
        header = {"alg": "ES256", "kid": name, "typ": "at+jwt"}
        yield f"kid {str(name)[:40]!r} ({type(name).__name__}), signed", signed(header)
        yield f"kid {str(name)[:40]!r} ({type(name).__name__}), forged", signed(header, sign=by(OTHER_KEY))
    yield "no kid", signed({"alg": "ES256"})
    yield "two kids, the first ours", signed('{"alg": "ES256", "kid": "one", "kid": "two"}')
    yield "two kids, the last ours, forged", signed('{"alg":"ES256","kid":"two","kid":"one"}', sign=by(OTHER_KEY))


def brought_keys() -> Iterator[Case]:
    """Yield forged tokens that bring the key to verify them, or say where it is; and what is critical but unknown."""
    for what, more in BROUGHT.items():
        for kid in ({"kid": "one"}, {"kid": "two"}, {}):
            yield f"{what}, {kid}", signed({"alg": "ES256", **kid, **more}, sign=by(OTHER_KEY))
    for what, more in CRITICAL.items():
        yield what, signed({"alg": "ES256", "kid": "one", **more})


def forged() -> Iterator[Case]:
    """Yield good claims without the issuer's signature."""
    good = token()
    head, body, signature = good.split(".")
    yield "somebody else's signature", token(key=OTHER_KEY)
    yield "another token's signature", f"{head}.{body}.{token(sub='eve').split('.')[2]}"
    for what, changes in [("tenant", {"tenant": "rival"}), ("subject", {"sub": "eve"}), ("scope", {"scope": "admin"})]:
        payload = encoded(json.dumps(of_claims.good(**changes)).encode()).decode()
        yield f"the {what} changed", f"{head}.{payload}.{signature}"
    # CVE-2022-21449: r and s of nought verify anything where they are not checked.
    for what, value in [("nought", 0), ("one", 1), ("the most", 2**256 - 1)]:
        yield (
            f"r and s are {what}",
            signed({"alg": "ES256", "kid": "one"}, sign=partial(_always, value.to_bytes(32) * 2)),
        )
    for what, sign in {
        "of another digest": lambda data: ES256.sign(hashlib.sha512(data).digest(), KEY),
        "as DER": lambda data: KEY.sign(data, ECDSA(SHA256())),
        "in hexadecimal": lambda data: ES256.sign(data, KEY).hex().encode(),
        "twice": lambda data: ES256.sign(data, KEY) * 2,
        "with its halves exchanged": lambda data: ES256.sign(data, KEY)[32:] + ES256.sign(data, KEY)[:32],
        "of the claims alone": lambda data: ES256.sign(data.split(b".")[1], KEY),
    }.items():
        yield f"a signature {what}", signed({"alg": "ES256", "kid": "one"}, sign=sign)


def _always(signature: bytes, _: bytes) -> bytes:
    return signature


def wrong_claims() -> Iterator[Case]:
    """Yield what the issuer signed, but not as an access token for this server that is valid now."""
    for what, payload in of_claims.wrong():
        yield what, signed({"alg": "ES256", "kid": "one"}, payload)


def other_kinds() -> Iterator[Case]:
    """Yield what the issuer signed as something else."""
    for kind in of_claims.KINDS:
        yield f"typ {kind!r}", signed({"alg": "ES256", "kid": "one", "typ": kind})
    yield "a token in a token", signed({"alg": "ES256", "kid": "one", "cty": "JWT"}, json.dumps(token()))


def with_every_character() -> str:
    """Return a good token that has both characters by which base64url differs: others have fewer other spellings."""
    return next(good for good in iter(token, None) if {"-", "_"} <= set(good.rpartition(".")[2]))


GROUPS: Final[Mapping[str, Callable[[], Iterable[Case]]]] = {
    "algorithms": algorithms,
    "secrets": secrets,
    "key names": key_names,
    "keys that a token brings": brought_keys,
    "signatures": forged,
    "claims": wrong_claims,
    "kinds": other_kinds,
    "spellings": partial(spellings.changed, with_every_character()),
    "other formats": spellings.other_formats,
}
