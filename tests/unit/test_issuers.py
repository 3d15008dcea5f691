"""Several issuers of one stage: by whose keys a token is verified, and whose tenant is whose."""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from mcp_tasks.adapters.jwt.issuers import TokenVerifiers
from mcp_tasks.adapters.jwt.settings import AuthSettings, issuers_of
from mcp_tasks.adapters.jwt.tokens import Rejection, TokenRejected
from mcp_tasks.security.tenancy import Caller
from tests.attacks.claims import good
from tests.attacks.tokens import signed
from tests.key_server import KeyServer, key_server
from tests.tokens import AUDIENCE, ISSUER, KEY, OTHER_KEY, token

OTHER = "https://other.test"
PLAIN = {"ISSUER": ISSUER, "AUDIENCE": AUDIENCE, "JWKS_URL": "https://issuer.test/keys"}
"""The variables of an issuer whose tenants are as they are."""


@pytest.fixture
def servers() -> Iterator[tuple[KeyServer, KeyServer]]:
    with ExitStack() as stack:
        ours, theirs = (stack.enter_context(key_server()) for _ in range(2))
        ours.publish(one=KEY.public_key())
        theirs.publish(one=OTHER_KEY.public_key())
        yield ours, theirs


def environment(*issuers: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of an authorizer with issuers, each of which differs from the plain one."""
    return {"ISSUERS": json.dumps([{**PLAIN, **issuer} for issuer in issuers])}


def verifiers(servers: tuple[KeyServer, KeyServer], **other: str) -> TokenVerifiers:
    """Return what verifies tokens of our issuer, and of another one with settings of its own."""
    ours, theirs = servers
    return TokenVerifiers(
        issuers_of(environment({"JWKS_URL": ours.url}, {"ISSUER": OTHER, "JWKS_URL": theirs.url, **other}))
    )


def foreign(**changes: Any) -> str:
    """Return a token of the other issuer."""
    return token(key=OTHER_KEY, **{"iss": OTHER, **changes})


def rejection(accepted: TokenVerifiers, text: str) -> Rejection:
    with pytest.raises(TokenRejected) as rejected:
        accepted.verify(text)
    return rejected.value.rejection


def test_the_only_issuer_is_what_the_variables_of_earlier_releases_say() -> None:
    assert issuers_of(PLAIN) == (AuthSettings.of(PLAIN),)
    assert issuers_of(environment({})) == (AuthSettings.of(PLAIN),)


def test_the_tenants_of_an_only_issuer_are_as_they_were(servers: tuple[KeyServer, KeyServer]) -> None:
    accepted = TokenVerifiers(issuers_of(PLAIN | {"JWKS_URL": servers[0].url}))

    assert accepted.verify(token()).owner_key == "acme#ada"


@pytest.mark.parametrize(
    ("settings", "tenant"),
    [({"TENANT": "guests"}, "guests"), ({"TENANT_PREFIX": "other:"}, "other:acme")],
)
def test_the_same_names_from_two_issuers_are_two_callers(
    servers: tuple[KeyServer, KeyServer], settings: dict[str, str], tenant: str
) -> None:
    accepted = verifiers(servers, **settings)

    assert accepted.verify(token()) == Caller(tenant="acme", subject="ada")
    assert accepted.verify(foreign()) == Caller(tenant=tenant, subject="ada")


def test_the_same_names_are_the_same_caller_where_the_settings_say_so(servers: tuple[KeyServer, KeyServer]) -> None:
    accepted = verifiers(servers, SAME_CALLERS_AS=ISSUER)

    assert accepted.verify(token()) == accepted.verify(foreign()) == Caller(tenant="acme", subject="ada")


def test_an_issuer_may_have_the_callers_of_one_with_a_prefix(servers: tuple[KeyServer, KeyServer]) -> None:
    ours, theirs = servers
    first = {"JWKS_URL": ours.url, "TENANT_PREFIX": "shop:"}
    second = {"ISSUER": OTHER, "JWKS_URL": theirs.url, "SAME_CALLERS_AS": ISSUER}
    accepted = TokenVerifiers(issuers_of(environment(second, first)))

    assert accepted.verify(token()) == accepted.verify(foreign()) == Caller(tenant="shop:acme", subject="ada")


def test_a_tenant_that_the_settings_give_needs_no_claim(servers: tuple[KeyServer, KeyServer]) -> None:
    assert verifiers(servers, TENANT="guests").verify(foreign(tenant=None)).tenant == "guests"


@pytest.mark.parametrize("tenant", ["", None])
def test_a_prefix_alone_is_no_tenant(servers: tuple[KeyServer, KeyServer], tenant: Any) -> None:
    refused = rejection(verifiers(servers, TENANT_PREFIX="other:"), foreign(tenant=tenant))

    assert refused is (Rejection.MISSING_CLAIM if tenant is None else Rejection.UNUSABLE_CLAIM)


@pytest.mark.parametrize(
    ("settings", "tenant"),
    [({"TENANT": "guests"}, "guests"), ({"TENANT_PREFIX": "other:"}, "other:acme"), ({"TENANT_PREFIX": "o"}, "o")],
)
def test_an_issuer_cannot_name_a_tenant_of_another_one(
    servers: tuple[KeyServer, KeyServer], settings: dict[str, str], tenant: str
) -> None:
    accepted = verifiers(servers, **settings)

    assert rejection(accepted, token(tenant=tenant)) is Rejection.TENANT_OF_ANOTHER_ISSUER


def test_keys_of_one_issuer_verify_no_token_of_another(servers: tuple[KeyServer, KeyServer]) -> None:
    accepted = verifiers(servers, TENANT_PREFIX="other:")

    assert rejection(accepted, token(key=OTHER_KEY)) is Rejection.BAD_SIGNATURE
    assert rejection(accepted, token(iss=OTHER)) is Rejection.BAD_SIGNATURE


def test_an_issuer_whose_keys_cannot_be_fetched_keeps_nobody_from_the_other(
    servers: tuple[KeyServer, KeyServer],
) -> None:
    accepted = verifiers(servers, TENANT_PREFIX="other:")
    servers[0].status = 503

    assert accepted.verify(foreign()).tenant == "other:acme"
    assert servers[0].fetches == 0


@pytest.mark.parametrize("iss", ["https://else.test", f"{ISSUER}/", ISSUER.upper(), "", [ISSUER], {ISSUER: 1}, 7, None])
def test_an_unknown_issuer_is_rejected_and_nobody_is_asked_for_keys(
    servers: tuple[KeyServer, KeyServer], iss: Any
) -> None:
    accepted = verifiers(servers, TENANT_PREFIX="other:")

    reason = Rejection.MISSING_CLAIM if iss is None else Rejection.WRONG_ISSUER
    assert rejection(accepted, _of(iss)) is reason
    assert [server.fetches for server in servers] == [0, 0]


def _of(iss: Any) -> str:
    """Return a token with any `iss`, which PyJWT does not write unless it is text."""
    return signed({"alg": "ES256", "kid": "one"}, good(iss=iss))


@pytest.mark.parametrize(
    ("issuers", "says"),
    [
        ([], "there is no issuer"),
        ([{}, {}], "is listed twice"),
        ([{}, {"ISSUER": OTHER}], "give one of them a tenant, or a tenant_prefix"),
        ([{"TENANT": "a"}, {"ISSUER": OTHER, "TENANT": "a"}], "'a' and 'a' overlap"),
        ([{"TENANT_PREFIX": "a"}, {"ISSUER": OTHER, "TENANT": "ab"}], "'a' and 'ab' overlap"),
        ([{"TENANT": "a"}, {"ISSUER": OTHER, "TENANT_PREFIX": "a"}], "'a' and 'a' overlap"),
        ([{"TENANT_PREFIX": "ab"}, {"ISSUER": OTHER, "TENANT_PREFIX": "a"}], "'ab' and 'a' overlap"),
        ([{"TENANT": "a", "TENANT_PREFIX": "b"}], "has one of tenant, tenant_prefix and same_callers_as"),
        ([{}, {"ISSUER": OTHER, "TENANT": "a", "SAME_CALLERS_AS": ISSUER}], "has one of tenant, tenant_prefix"),
        ([{"SAME_CALLERS_AS": ISSUER}], "same_callers_as is another issuer of the stage"),
        ([{}, {"ISSUER": OTHER, "SAME_CALLERS_AS": f"{ISSUER}/"}], "same_callers_as is another issuer of the stage"),
        (
            [{"SAME_CALLERS_AS": OTHER}, {"ISSUER": OTHER, "SAME_CALLERS_AS": ISSUER}],
            "same_callers_as is another issuer of the stage",
        ),
    ],
)
def test_issuers_that_could_name_one_caller_unawares_are_rejected(issuers: list[dict[str, str]], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        issuers_of(environment(*issuers))


@pytest.mark.parametrize(
    "issuers",
    [
        [{}, {"ISSUER": OTHER, "TENANT": "a"}],
        [{"TENANT": "a"}, {"ISSUER": OTHER, "TENANT": "b"}, {"ISSUER": f"{OTHER}/", "TENANT": "ab"}],
        [{"TENANT_PREFIX": "a:"}, {"ISSUER": OTHER, "TENANT_PREFIX": "b:"}, {"ISSUER": f"{OTHER}/", "TENANT": "a"}],
        [{"TENANT": "a"}, {"ISSUER": OTHER, "SAME_CALLERS_AS": ISSUER}],
    ],
)
def test_issuers_with_tenants_of_their_own_are_accepted(issuers: list[dict[str, str]]) -> None:
    assert len(issuers_of(environment(*issuers))) == len(issuers)
