"""The keys of an issuer, each on its own: odd ones are left out, and those whose private half is published."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from mcp_tasks.adapters.jwt.issuer_keys import IssuerKeys
from tests.key_server import KeyServer, key_server, public_jwk
from tests.kit import FixedClock

KEY = ec.generate_private_key(ec.SECP256R1()).public_key()
OTHER = ec.generate_private_key(ec.SECP256R1()).public_key()
SECRET = ec.generate_private_key(ec.SECP256R1())
SECRETS = {
    "EC": {**ECAlgorithm.to_jwk(SECRET, as_dict=True)},
    "RSA": {**RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 2048), as_dict=True)},
    "OKP": {**OKPAlgorithm.to_jwk(Ed25519PrivateKey.generate(), as_dict=True)},
}
ALIKE = {
    "EC": {**ECAlgorithm.to_jwk(OTHER, as_dict=True)},
    "RSA": {**RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 2048).public_key(), as_dict=True)},
    "OKP": {**OKPAlgorithm.to_jwk(Ed25519PrivateKey.generate().public_key(), as_dict=True)},
}
GOOD = {**public_jwk(KEY), "kid": "good"}
NESTED: dict[str, Any] = {"a": [{"b": {}}]}


@pytest.fixture
def server() -> Iterator[KeyServer]:
    with key_server() as server:
        yield server


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def keys(server: KeyServer, clock: FixedClock) -> IssuerKeys:
    return IssuerKeys(server.url, clock=clock)


@pytest.mark.parametrize("kind", SECRETS)
def test_a_private_key_is_not_used_and_logged_and_the_others_are(
    server: KeyServer, keys: IssuerKeys, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    server.body = json.dumps({"keys": [{**SECRETS[kind], "kid": "leaked"}, GOOD]}).encode()

    assert keys.find("leaked") is None
    assert keys.find("good")
    (logged,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert vars(logged)["kid"] == "leaked"
    assert SECRETS[kind]["d"] not in caplog.text


def test_a_public_key_whose_private_half_is_published_is_not_used(server: KeyServer, keys: IssuerKeys) -> None:
    twin = {**public_jwk(SECRET.public_key()), "kid": "twin"}
    namesake = {**public_jwk(OTHER), "kid": "leaked"}
    server.body = json.dumps({"keys": [twin, namesake, {**SECRETS["EC"], "kid": "leaked"}, GOOD]}).encode()

    assert [keys.find(name) is not None for name in ("twin", "leaked", "good")] == [False, False, True]


@pytest.mark.parametrize("kind", SECRETS)
def test_public_half_of_a_private_key_of_any_kind_is_not_used(server: KeyServer, keys: IssuerKeys, kind: str) -> None:
    public = {name: value for name, value in SECRETS[kind].items() if name in ("kty", "crv", "x", "y", "n", "e")}
    server.body = json.dumps({"keys": [{**public, "kid": "twin"}, GOOD]}).encode()
    assert keys.find("twin")

    again = IssuerKeys(server.url, clock=FixedClock())
    listed = [{**public, "kid": "twin"}, {**ALIKE[kind], "kid": "alike"}, SECRETS[kind], GOOD]
    server.body = json.dumps({"keys": listed}).encode()
    assert [again.find(name) is not None for name in ("twin", "alike", "good")] == [False, True, True]


@pytest.mark.parametrize("named", [{}, {"alg": "ES256"}, {"alg": "ES256", "use": "sig"}, {"key_ops": ["verify"]}])
def test_public_half_of_a_private_key_is_known_by_its_numbers_alone(
    server: KeyServer, keys: IssuerKeys, named: dict[str, Any]
) -> None:
    public = {name: SECRETS["EC"][name] for name in ("kty", "crv", "x", "y")}
    leaked = {**SECRETS["EC"], "kid": "leaked", "alg": "ES384"}
    server.body = json.dumps({"keys": [{**public, **named, "kid": "twin"}, leaked, GOOD]}).encode()

    assert [keys.find(name) is not None for name in ("twin", "leaked", "good")] == [False, False, True]


@pytest.mark.parametrize("member", ["d", "p", "q", "dp", "dq", "qi", "oth"])
def test_one_member_of_a_private_key_is_enough_not_to_use_it(server: KeyServer, keys: IssuerKeys, member: str) -> None:
    public = {name: SECRETS["RSA"][name] for name in ("kty", "n", "e")}
    leaked = {**public, "kid": "leaked", member: SECRETS["RSA"].get(member, [])}
    server.body = json.dumps({"keys": [leaked, {**public, "kid": "twin"}, GOOD]}).encode()

    assert [keys.find(name) is not None for name in ("leaked", "twin", "good")] == [False, False, True]


@pytest.mark.parametrize("use", ["enc", "", 7])
def test_public_key_whose_private_half_is_published_for_another_use_is_not_used(
    server: KeyServer, keys: IssuerKeys, use: Any
) -> None:
    twin = {**public_jwk(SECRET.public_key()), "kid": "twin"}
    server.body = json.dumps({"keys": [twin, {**SECRETS["EC"], "kid": "leaked", "use": use}, GOOD]}).encode()

    assert [keys.find(name) is not None for name in ("twin", "leaked", "good")] == [False, False, True]


def test_a_key_that_is_published_with_its_private_half_later_is_withdrawn(
    server: KeyServer, clock: FixedClock, keys: IssuerKeys
) -> None:
    server.publish(leaked=SECRET.public_key())
    assert keys.find("leaked")

    server.body = json.dumps({"keys": [{**SECRETS["EC"], "kid": "leaked"}]}).encode()
    clock.advance(timedelta(minutes=5))
    assert keys.find("leaked") is None


def odd_keys() -> Iterator[Any]:
    """Yield what an issuer may have among its keys: other kinds, and members of other values and types."""
    yield from (None, 7, "key", [], {}, [GOOD], {"kid": "odd"}, {"kty": "oct", "k": "AAAA", "kid": "odd"})
    members: dict[str, list[Any]] = {
        "alg": ["none", "HS256", "RS256", "XX", 7, NESTED],
        "kty": [None, "", "ec", "RSA", "OKP", "oct", 7, [], NESTED],
        "crv": ["P-384", "secp256k1", "Ed25519", "", 7, [], NESTED],
        "x": [None, "", "AA", "!", "\ud800", 7, [], NESTED],
        "use": ["enc", "", 7, [], NESTED],
    }
    for name, values in members.items():
        yield from ({**GOOD, "kid": "odd", name: value} for value in values)
    numbers: list[Any] = [None, "", "AA", 7, [], NESTED]
    for number in numbers:
        yield {"kty": "RSA", "kid": "odd", "n": number, "e": "AQAB"}
        yield {"kty": "OKP", "crv": "Ed25519", "kid": "odd", "x": number}
    yield {"kty": "RSA", "kid": "odd", "n": "AQAB"}
    names: list[Any] = [None, "", 7, [], NESTED]
    yield from ({**GOOD, "kid": name} for name in names)


@pytest.mark.parametrize("odd", list(odd_keys()))
def test_an_odd_key_is_left_out_and_the_others_are_used(server: KeyServer, keys: IssuerKeys, odd: Any) -> None:
    server.body = json.dumps({"keys": [odd, GOOD]}).encode()

    assert keys.find("good")
    assert keys.find("odd") is None
