"""Which tokens are accepted, with real keys from a server on this machine."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from mcp_tasks.adapters.jwt.issuer_keys import KeysUnavailable
from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.adapters.jwt.tokens import Rejection, TokenRejected, TokenVerifier
from mcp_tasks.security.tenancy import Caller
from tests.key_server import KeyServer, key_server, public_jwk
from tests.kit import FixedClock
from tests.tokens import KEY, OTHER_KEY, RSA_KEY, claims, encoded, handmade, token

ADA = Caller(tenant="acme", subject="ada")


@pytest.fixture
def keys() -> Iterator[KeyServer]:
    with key_server() as server:
        server.publish(one=KEY.public_key(), rsa=RSA_KEY.public_key())
        yield server


def settings(keys: KeyServer, **changes: Any) -> AuthSettings:
    defaults = {"issuer": "https://issuer.test", "audiences": ("https://mcp.test",), "jwks_url": keys.url}
    return AuthSettings(**{**defaults, **changes})


def rejection(verifier: TokenVerifier, text: str) -> Rejection:
    with pytest.raises(TokenRejected) as rejected:
        verifier.verify(text)
    return rejected.value.rejection


def test_a_good_token_names_its_caller(keys: KeyServer) -> None:
    assert TokenVerifier(settings(keys)).verify(token()) == ADA


def test_an_rsa_key_does_as_well(keys: KeyServer) -> None:
    assert TokenVerifier(settings(keys)).verify(token(key=RSA_KEY, kid="rsa", algorithm="RS256")) == ADA


def test_one_of_several_audiences_is_enough_on_either_side(keys: KeyServer) -> None:
    verifier = TokenVerifier(settings(keys, audiences=("https://old.test", "https://mcp.test")))

    assert verifier.verify(token(aud="https://old.test")) == ADA
    assert verifier.verify(token(aud=["https://else.test", "https://mcp.test"])) == ADA


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"exp": datetime.now(UTC) - timedelta(minutes=1)}, Rejection.EXPIRED),
        ({"nbf": datetime.now(UTC) + timedelta(hours=1)}, Rejection.NOT_YET_VALID),
        ({"iat": datetime.now(UTC) + timedelta(hours=1)}, Rejection.NOT_YET_VALID),
        ({"exp": "soon"}, Rejection.MALFORMED),
        ({"aud": "https://else.test"}, Rejection.WRONG_AUDIENCE),
        ({"aud": ["https://else.test"]}, Rejection.WRONG_AUDIENCE),
        ({"aud": "https://mcp.test/"}, Rejection.WRONG_AUDIENCE),
        ({"aud": {"https://mcp.test": True}}, Rejection.WRONG_AUDIENCE),
        ({"aud": []}, Rejection.MISSING_CLAIM),
        ({"iss": "https://else.test"}, Rejection.WRONG_ISSUER),
        ({"exp": None}, Rejection.MISSING_CLAIM),
        ({"aud": None}, Rejection.MISSING_CLAIM),
        ({"iss": None}, Rejection.MISSING_CLAIM),
        ({"tenant": None}, Rejection.MISSING_CLAIM),
        ({"sub": None}, Rejection.MISSING_CLAIM),
        ({"tenant": ""}, Rejection.UNUSABLE_CLAIM),
        ({"tenant": 7}, Rejection.UNUSABLE_CLAIM),
        ({"tenant": ["acme"]}, Rejection.UNUSABLE_CLAIM),
        ({"tenant": "t" * 3000}, Rejection.UNUSABLE_CLAIM),
        ({"tenant": "\ud800"}, Rejection.UNUSABLE_CLAIM),
        ({"sub": ""}, Rejection.UNUSABLE_CLAIM),
        ({"scope": 7}, Rejection.UNUSABLE_CLAIM),
        ({"scope": ["read", 7]}, Rejection.UNUSABLE_CLAIM),
        ({"scope": ["read admin"]}, Rejection.UNUSABLE_CLAIM),
        ({"act": "agent"}, Rejection.UNUSABLE_CLAIM),
    ],
)
def test_a_signed_token_with_a_bad_claim_is_rejected(
    keys: KeyServer, changes: dict[str, Any], reason: Rejection
) -> None:
    assert rejection(TokenVerifier(settings(keys)), token(**changes)) is reason


def test_a_token_just_expired_is_forgiven_the_difference_of_clocks(keys: KeyServer) -> None:
    assert TokenVerifier(settings(keys)).verify(token(exp=datetime.now(UTC) - timedelta(seconds=1))) == ADA


@pytest.mark.parametrize("text", ["", "x", "a.b.c", "....", "é.é.é", "eyJhbGciOiJFUzI1NiJ9.e30", "W10.e30.e30"])
def test_garbage_is_rejected_without_asking_the_issuer(keys: KeyServer, text: str) -> None:
    assert rejection(TokenVerifier(settings(keys)), text) is Rejection.MALFORMED
    assert keys.fetches == 0


@pytest.mark.parametrize("pad", ["=", "=="])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_token_has_one_spelling_which_is_not_padded(keys: KeyServer, part: int, pad: str) -> None:
    """RFC 7515 2."""
    parts = token().split(".")
    parts[part] += pad

    assert rejection(TokenVerifier(settings(keys)), ".".join(parts)) is Rejection.MALFORMED


@pytest.mark.parametrize("name", ["exp", "iat", "nbf"])
@pytest.mark.parametrize("convert", [str, lambda time: f" {time} ", lambda time: True], ids=["text", "spaced", "bool"])
def test_times_are_numbers_and_nothing_that_could_be_converted(keys: KeyServer, name: str, convert: Any) -> None:
    """RFC 7519 2, NumericDate."""
    time = int(datetime.now(UTC).timestamp()) + (60 if name == "exp" else -60)
    times = {"iat": time - 60, "exp": time + 120, name: convert(time)}

    with pytest.raises(TokenRejected):
        TokenVerifier(settings(keys)).verify(
            jwt.encode(claims() | times, KEY, algorithm="ES256", headers={"kid": "one"})
        )


def test_times_may_have_fractions(keys: KeyServer) -> None:
    now = datetime.now(UTC).timestamp()
    times = {"exp": now + 60.5, "iat": now - 60.5, "nbf": now - 60.5}
    precise = jwt.encode(claims() | times, KEY, algorithm="ES256", headers={"kid": "one"})

    assert TokenVerifier(settings(keys)).verify(precise) == ADA


@pytest.mark.parametrize("name", ["none", "None", "NONE", "", None, ["ES256"], {"ES256": 1}, "ES384", "HS256"])
def test_an_algorithm_that_is_not_listed_is_rejected_without_asking_the_issuer(keys: KeyServer, name: Any) -> None:
    text = handmade({"alg": name, "kid": "one"})

    assert rejection(TokenVerifier(settings(keys)), text) is Rejection.ALGORITHM
    assert keys.fetches == 0


def test_a_public_key_is_no_shared_secret(keys: KeyServer) -> None:
    """The old trick: sign with HMAC, and the published key as its secret."""
    secret = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    forged = handmade({"alg": "HS256", "kid": "one"}, lambda signed: hmac.new(secret, signed, hashlib.sha256).digest())

    assert rejection(TokenVerifier(settings(keys)), forged) is Rejection.ALGORITHM


def test_a_listed_algorithm_of_another_kind_of_key_is_rejected(keys: KeyServer) -> None:
    assert rejection(TokenVerifier(settings(keys)), handmade({"alg": "RS256", "kid": "one"})) is Rejection.ALGORITHM


def test_an_unsigned_token_is_rejected(keys: KeyServer) -> None:
    assert rejection(TokenVerifier(settings(keys)), handmade({"alg": "ES256", "kid": "one"})) is Rejection.BAD_SIGNATURE


def test_a_token_signed_by_somebody_else_is_rejected(keys: KeyServer) -> None:
    assert rejection(TokenVerifier(settings(keys)), token(key=OTHER_KEY)) is Rejection.BAD_SIGNATURE


def test_a_token_altered_after_signing_is_rejected(keys: KeyServer) -> None:
    header, _, signature = token().split(".")
    altered = encoded(json.dumps(claims(tenant="evil") | {"exp": 4_000_000_000, "iat": 0}).encode()).decode()

    assert rejection(TokenVerifier(settings(keys)), f"{header}.{altered}.{signature}") is Rejection.BAD_SIGNATURE


def test_a_key_that_the_token_brings_along_is_not_used(keys: KeyServer) -> None:
    header = {"kid": "one", "jwk": public_jwk(OTHER_KEY.public_key()), "jku": "http://127.0.0.1:1/jwks.json"}
    forged = jwt.encode(claims(), OTHER_KEY, algorithm="ES256", headers=header)

    assert rejection(TokenVerifier(settings(keys)), forged) is Rejection.BAD_SIGNATURE


def test_a_token_that_names_no_key_is_rejected(keys: KeyServer) -> None:
    assert rejection(TokenVerifier(settings(keys)), token(kid=None)) is Rejection.UNKNOWN_KEY


def test_a_key_name_that_is_no_text_is_rejected(keys: KeyServer) -> None:
    assert rejection(TokenVerifier(settings(keys)), handmade({"alg": "ES256", "kid": 1})) is Rejection.MALFORMED


def test_a_key_that_the_issuer_does_not_have_is_rejected(keys: KeyServer) -> None:
    assert rejection(TokenVerifier(settings(keys)), token(kid="made-up")) is Rejection.UNKNOWN_KEY


def test_an_issuer_that_is_away_is_an_outage_not_a_bad_token(keys: KeyServer) -> None:
    keys.status = 503

    with pytest.raises(KeysUnavailable):
        TokenVerifier(settings(keys)).verify(token())


def test_a_known_key_is_good_for_its_tokens_while_the_issuer_is_away(keys: KeyServer) -> None:
    clock = FixedClock()
    verifier = TokenVerifier(settings(keys), clock=clock)
    verifier.verify(token())
    keys.status = 503
    clock.advance(timedelta(minutes=50))

    assert verifier.verify(token()) == ADA
    with pytest.raises(KeysUnavailable):
        verifier.verify(token(key=OTHER_KEY, kid="two"))
    assert verifier.verify(token()) == ADA


@pytest.mark.parametrize(
    ("granted", "begins"),
    [
        (timedelta(hours=24), timedelta()),
        (timedelta(hours=24), timedelta(hours=-23)),
        (timedelta(minutes=5), None),
    ],
)
def test_a_token_may_live_a_day(keys: KeyServer, granted: timedelta, begins: timedelta | None) -> None:
    now = datetime.now(UTC)
    iat = None if begins is None else now + begins

    assert TokenVerifier(settings(keys)).verify(token(iat=iat, exp=(iat or now) + granted)) == ADA


@pytest.mark.parametrize(
    ("granted", "begins"),
    [
        (timedelta(hours=24, seconds=1), timedelta()),
        (timedelta(days=30), timedelta(days=-29, hours=-23)),
        (timedelta(days=2), None),
    ],
)
def test_a_token_that_was_granted_for_longer_is_rejected_all_its_life(
    keys: KeyServer, granted: timedelta, begins: timedelta | None
) -> None:
    now = datetime.now(UTC)
    iat = None if begins is None else now + begins

    long_lived = token(iat=iat, exp=(iat or now) + granted)
    assert rejection(TokenVerifier(settings(keys)), long_lived) is Rejection.LASTS_TOO_LONG


def test_a_stage_may_let_tokens_live_for_longer(keys: KeyServer) -> None:
    verifier = TokenVerifier(settings(keys, max_age=timedelta(days=30)))

    assert verifier.verify(token(exp=datetime.now(UTC) + timedelta(days=30))) == ADA


@pytest.mark.parametrize("proof", [{"jkt": "0ZcOCORZNYy"}, {"x5t#S256": "bwcK0esc3AC"}, {"jwk": {}}, {}, None])
def test_a_token_that_is_bound_to_a_key_is_not_good_without_its_proof(keys: KeyServer, proof: Any) -> None:
    """RFC 7800, 8705 and 9449."""
    bound = jwt.encode({**claims(), "cnf": proof}, KEY, algorithm="ES256", headers={"kid": "one"})

    assert rejection(TokenVerifier(settings(keys)), bound) is Rejection.BOUND_TO_A_KEY


def test_a_token_of_another_kind_is_rejected_whatever_else_it_says(keys: KeyServer) -> None:
    logout = jwt.encode(claims(), KEY, algorithm="ES256", headers={"kid": "one", "typ": "logout+jwt"})

    assert rejection(TokenVerifier(settings(keys)), logout) is Rejection.NOT_AN_ACCESS_TOKEN
    assert rejection(TokenVerifier(settings(keys)), token(nonce="n-0S6_WzA2Mj")) is Rejection.NOT_AN_ACCESS_TOKEN
    assert TokenVerifier(settings(keys, scope_claim="scp")).verify(token(nonce="n-0S6_WzA2Mj", scp="tasks")).scopes


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (None, frozenset()),
        ("", frozenset()),
        ("tasks:read", frozenset({"tasks:read"})),
        (" tasks:read  tasks:write ", frozenset({"tasks:read", "tasks:write"})),
        (["tasks:read", "tasks:write"], frozenset({"tasks:read", "tasks:write"})),
        ([], frozenset()),
    ],
)
def test_scopes_are_a_text_or_a_list(keys: KeyServer, claim: Any, expected: frozenset[str]) -> None:
    caller = TokenVerifier(settings(keys)).verify(token(scope=claim))

    assert caller == Caller(tenant="acme", subject="ada", scopes=expected)


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("custom:tenant", {"custom:tenant": "globex"}),
        ("https://issuer.test/tenant.id", {"https://issuer.test/tenant.id": "globex"}),
        ("org.id", {"org": {"id": "globex"}}),
        ("org.id", {"org.id": "globex", "org": {"id": "else"}}),
    ],
)
def test_the_tenant_is_where_the_settings_say(keys: KeyServer, name: str, extra: dict[str, Any]) -> None:
    verifier = TokenVerifier(settings(keys, tenant_claim=name))

    assert verifier.verify(token(**extra)).tenant == "globex"


@pytest.mark.parametrize("extra", [{}, {"org": "globex"}, {"org": {}}, {"org": None}, {"org": {"id": None}}])
def test_a_path_that_leads_nowhere_is_a_missing_claim(keys: KeyServer, extra: dict[str, Any]) -> None:
    verifier = TokenVerifier(settings(keys, tenant_claim="org.id"))

    assert rejection(verifier, token(**extra)) is Rejection.MISSING_CLAIM
