"""Nobody is admitted by any of these tokens, whatever is wrong with it, and the answer is always the same."""

import base64
import json
import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from functions.authorize.handler import handler, verifier
from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.adapters.jwt.tokens import Rejection, TokenVerifier
from mcp_tasks.limits.requests import MAX_KEYS_BYTES
from mcp_tasks.limits.waits import ISSUER_KEYS_FRESH
from mcp_tasks.security.tenancy import BEARER
from tests.attacks import claims, docs
from tests.attacks.tokens import GROUPS, by_secret, signed
from tests.authorizer import request
from tests.key_server import KeyServer, key_server, public_jwk
from tests.kit import FixedClock
from tests.tokens import AUDIENCE, ISSUER, KEY, OTHER_KEY, RSA_KEY, token

DENIED = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Deny",
            "Action": "execute-api:Invoke",
            "Resource": "arn:aws:execute-api:eu-west-1:123456789012:a1b2c3d4e5/prod/*",
        }
    ],
}
REFUSED = f"{{'principalId': 'nobody', 'policyDocument': {DENIED}}}"
OTHER = {**public_jwk(OTHER_KEY.public_key()), "kid": "another"}
SECRET = base64.urlsafe_b64encode(b"a secret of 32 characters, or so").decode().rstrip("=")
DOCUMENTS: dict[str, tuple[int, bytes]] = {
    **{f"status {status}": (status, b'{"keys": []}') for status in (204, 301, 302, 400, 401, 403, 404, 429, 500, 503)},
    **{
        f"{body[:20]!r}": (200, body)
        for body in (b"", b"null", b"[]", b"{}", b"7", b"<html>", b'{"keys": null}', b'{"keys": []}', b'{"keys": {}}')
    },
    "keys without names": (200, json.dumps({"keys": [public_jwk(KEY.public_key())]}).encode()),
    "keys for encryption": (200, json.dumps({"keys": [{**OTHER, "kid": "one", "use": "enc"}]}).encode()),
    "a shared secret": (200, json.dumps({"keys": [{"kty": "RSA", "k": SECRET, "kid": "one"}]}).encode()),
    "too large": (200, b'{"keys": [' + b" " * MAX_KEYS_BYTES + b"]}"),
    "too deep": (200, b"[" * 100_000),
    "not UTF-8": (200, b"\xff\xfe\x00"),
}
"""What the issuer's address may answer instead of its keys."""

PUBLISHED: dict[str, dict[str, Any]] = {
    "a shared secret": {"kty": "oct", "k": SECRET, "alg": "HS256"},
    "a shared secret that is said to be for ES256": {"kty": "oct", "k": SECRET, "alg": "ES256"},
    "a key for encryption": {**public_jwk(KEY.public_key()), "use": "enc"},
    "an EC key for RS256": {**public_jwk(KEY.public_key()), "alg": "RS256"},
    "an RSA key for ES256": {**public_jwk(RSA_KEY.public_key()), "alg": "ES256"},
    "a key of another curve": {**public_jwk(KEY.public_key()), "crv": "P-384"},
    "a point that is not on its curve": {**public_jwk(KEY.public_key()), "y": OTHER["y"]},
    "a key without an x": {name: value for name, value in public_jwk(KEY.public_key()).items() if name != "x"},
    "a kind that is not known": {"kty": "QUANTUM"},
}
"""Keys under the name of ours, beside one that can be used."""

FORGED = {
    "somebody else's": token(key=OTHER_KEY),
    "unsigned": signed({"alg": "none", "kid": "one"}, sign=lambda _: b""),
    "signed with the published secret": signed({"alg": "HS256", "kid": "one"}, sign=by_secret(SECRET.encode())),
    "the same as ES256": signed({"alg": "ES256", "kid": "one"}, sign=by_secret(SECRET.encode())),
}

REASONS = {rejection.value for rejection in Rejection}


@pytest.fixture(scope="module")
def keys() -> Iterator[KeyServer]:
    with key_server() as server:
        yield server


@pytest.fixture(autouse=True)
def authorizer(keys: KeyServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    keys.publish(one=KEY.public_key(), rsa=RSA_KEY.public_key())
    for name, value in {"ISSUER": ISSUER, "AUDIENCE": AUDIENCE, "JWKS_URL": keys.url}.items():
        monkeypatch.setenv(name, value)
    verifier.cache_clear()
    yield
    verifier.cache_clear()


def outcome(text: str) -> str:
    """Return what becomes of a request with a token: what the gateway is told, or who is admitted."""
    try:
        answer = handler(request(f"Bearer {text}"), None)
    except Exception as error:  # noqa: BLE001  (the gateway's own: it answers by the text alone)
        # Text that is no token at all is as good as none, and API Gateway answers both with 401.
        no_token = str(error) == "Unauthorized" and not BEARER.fullmatch(f"Bearer {text}")
        return REFUSED if no_token else f"{type(error).__name__}: {error}"
    return f"admitted {answer['principalId']}" if answer.get("context") else str(answer)


def test_what_all_of_them_were_made_from_is_admitted() -> None:
    assert outcome(token()) == "admitted acme#ada"
    assert outcome(token(key=RSA_KEY, kid="rsa", algorithm="RS256")) == "admitted acme#ada"
    assert outcome(signed({"alg": "ES256", "kid": "one"})) == "admitted acme#ada"
    assert outcome(signed({"alg": "ES256", "kid": "one", "typ": "at+jwt"}, claims.good())) == "admitted acme#ada"


@pytest.mark.parametrize("group", GROUPS)
def test_nobody_is_admitted_and_the_reason_is_logged_without_the_token(
    group: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="authorize")
    wrong = {}
    for what, text in GROUPS[group]():
        caplog.clear()
        found = outcome(text)
        logged = [vars(record) for record in caplog.records if record.name == "authorize"]
        if found != REFUSED or [each.get("reason") in REASONS for each in logged] != [True]:
            wrong[what] = found, logged
        parts = [part for part in text.split(".") if len(part) > 15]
        assert not any(part in json.dumps(each, default=str) for part in parts for each in logged), what

    assert wrong == {}


def test_there_are_as_many_as_are_told() -> None:
    assert docs.says(f"{sum(len([*made()]) for made in GROUPS.values()):,} tokens")


@pytest.mark.parametrize("group", GROUPS)
def test_each_of_them_has_a_name_of_its_own(group: str) -> None:
    names = [what for what, _ in GROUPS[group]()]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("what", DOCUMENTS)
def test_nobody_is_admitted_without_the_issuers_keys_and_good_tokens_are_not_refused(
    keys: KeyServer, what: str
) -> None:
    keys.status, keys.body = DOCUMENTS[what]
    unavailable = f"KeysUnavailable: {keys.url}"

    assert outcome(token()) == unavailable
    assert {outcome(text) for text in FORGED.values()} <= {unavailable, REFUSED}


@pytest.mark.parametrize("what", PUBLISHED)
def test_nobody_is_admitted_by_a_key_that_is_not_for_signatures_of_its_kind(keys: KeyServer, what: str) -> None:
    keys.body = json.dumps({"keys": [OTHER, {**PUBLISHED[what], "kid": "one"}]}).encode()

    assert {outcome(text) for text in [token(), *FORGED.values()]} == {REFUSED}


def test_keys_that_change_while_tokens_are_out_admit_those_of_the_keys_there_are(
    keys: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FixedClock(datetime.now(UTC))
    current = TokenVerifier(AuthSettings.of(os.environ), clock=clock)
    monkeypatch.setattr("functions.authorize.handler.verifier", lambda: current)
    old, new, forged = token(), token(key=OTHER_KEY), token(key=OTHER_KEY, kid="two")

    assert [outcome(each) for each in (old, new, forged)] == ["admitted acme#ada", REFUSED, REFUSED]
    # Another key under the same name: what the old one signed is refused as soon as the new one is known.
    keys.publish(one=OTHER_KEY.public_key())
    clock.advance(ISSUER_KEYS_FRESH)
    assert [outcome(each) for each in (old, new, forged)] == [REFUSED, "admitted acme#ada", REFUSED]
    # And withdrawn, with none in its place that could be used.
    keys.publish(rsa=RSA_KEY.public_key())
    clock.advance(ISSUER_KEYS_FRESH)
    assert [outcome(each) for each in (old, new, forged)] == [REFUSED, REFUSED, REFUSED]
