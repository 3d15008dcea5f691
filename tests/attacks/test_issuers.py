"""Where a stage has several issuers, none of them speaks for another, and nobody is asked for keys by a stranger."""

import json
import logging
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import combinations, product
from pathlib import Path

import pytest

from functions.authorize.handler import verifier
from tests.attacks.issuers import GROUPS, GUESTS, HOUSE, POOL, PREFIX, SHOP, STAGE
from tests.attacks.test_tokens import REASONS, REFUSED, outcome
from tests.key_server import KeyServer, key_server

TENANTS = (
    *("acme", "Acme", "guests", "Guests:acme", "guests%3Aacme", "guests\uff1aacme", " guests:acme", "guest:acme"),
    *("shop ", "SHOP", "\uff53hop", "shop:acme", "shop#ada", "acme#ada", "rival", "a", "é", "e\u0301", "anonymous"),
)
"""What each issuer may call a tenant, the names of the others' among them."""

DOCUMENT = Path(__file__).parents[2] / "docs" / "security.md"
SUBJECTS = ("ada", "Ada", "acme#ada", "guests:ada", "#ada", "eve")


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, KeyServer]]:
    with ExitStack() as stack:
        found = {name: stack.enter_context(key_server()) for name in STAGE}
        for name, who in STAGE.items():
            found[name].publish(one=who.key.public_key())
        yield found


@pytest.fixture(autouse=True)
def stage(servers: dict[str, KeyServer], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the authorizer know the three issuers."""
    each = [
        {"ISSUER": who.iss, "JWKS_URL": servers[name].url, "ALGORITHMS": "ES256", **who.settings}
        for name, who in STAGE.items()
    ]
    monkeypatch.setenv("ISSUERS", json.dumps(each))
    verifier.cache_clear()
    yield
    verifier.cache_clear()


def test_what_all_of_them_were_made_from_is_admitted() -> None:
    assert outcome(HOUSE.token()) == "admitted acme#ada"
    assert outcome(GUESTS.token()) == "admitted guests%3Aacme#ada"
    assert outcome(POOL.token()) == "admitted shop#ada"
    assert outcome(POOL.token(client_id="5def", tenant="acme")) == "admitted shop#ada"
    for who in STAGE.values():
        assert outcome(who.token(act={"sub": "agent", "act": {"sub": "planner"}})) == outcome(who.token())


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


def test_there_are_as_many_of_them_as_the_threat_model_says() -> None:
    cases = {group: [what for what, _ in make()] for group, make in GROUPS.items()}

    assert f"Of {sum(map(len, cases.values()))} tokens none is admitted" in DOCUMENT.read_text()
    assert {group for group, names in cases.items() if len(set(names)) < len(names)} == set()


def test_an_issuer_that_is_spelt_otherwise_has_nobody_asked_for_keys(servers: dict[str, KeyServer]) -> None:
    before = {name: server.fetches for name, server in servers.items()}
    for _, text in GROUPS["spellings of an issuer"]():
        assert outcome(text) == REFUSED

    assert {name: server.fetches for name, server in servers.items()} == before


def test_no_two_issuers_ever_name_the_same_caller() -> None:
    admitted = {
        name: {
            found
            for tenant, subject in product(TENANTS, SUBJECTS)
            if (found := outcome(who.token(tenant=tenant, sub=subject))) != REFUSED
        }
        for name, who in STAGE.items()
    }

    assert {name: len(found) for name, found in admitted.items()} == {
        "house": len(TENANTS) * len(SUBJECTS),
        "guests": len(TENANTS) * len(SUBJECTS),
        "pool": len(SUBJECTS),
    }
    assert all(not admitted[one] & admitted[other] for one, other in combinations(STAGE, 2))
    assert all(found.startswith(f"admitted {PREFIX.replace(':', '%3A')}") for found in admitted["guests"])
    assert all(found.startswith(f"admitted {SHOP}#") for found in admitted["pool"])


def test_an_issuer_without_keys_stops_nobody_elses_tokens(servers: dict[str, KeyServer]) -> None:
    servers["house"].status = 503
    try:
        assert outcome(HOUSE.token()) == f"KeysUnavailable: {servers['house'].url}"
        assert outcome(HOUSE.token(GUESTS.key)) == f"KeysUnavailable: {servers['house'].url}"
        assert outcome(GUESTS.token()) == "admitted guests%3Aacme#ada"
        assert outcome(POOL.token()) == "admitted shop#ada"
    finally:
        servers["house"].status = 200
