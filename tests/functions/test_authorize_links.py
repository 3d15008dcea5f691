"""Links at the authorizer: accepted by the keys in the stage's table, until they expire, and told apart from tokens."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256

import pytest

from functions.authorize.handler import handler, links, verifier
from local.issuer import Issuer
from mcp_tasks import Caller, aws
from mcp_tasks.adapters.dynamodb.key_rotation import rotate
from mcp_tasks.adapters.dynamodb.keys import AUDIT_KEYS, DynamoKeys
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.memory.keys import MemoryKeys
from mcp_tasks.audit.chain import mac_of
from mcp_tasks.ports.keys import Keys
from mcp_tasks.security.links import Links
from mcp_tasks.security.signing import Signer
from mcp_tasks.wire.apigateway import caller
from tests.authorizer import request
from tests.cloud import REGION, TABLE, Cloud, cloud, scan
from tests.kit import ADA, FixedClock

HOUR = timedelta(hours=1)
APPROVAL = f"role:finance#{'1' * 13}-{'a' * 32}"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FixedClock:
    made = FixedClock()
    monkeypatch.setattr(aws, "clock", made)
    return made


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch, clock: FixedClock) -> Iterator[Cloud]:
    """Return what a stage stores; its authorizer has nobody to fetch the keys of tokens from."""
    with cloud() as made:
        monkeypatch.setenv("TABLE_NAME", TABLE)
        monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
        monkeypatch.setenv("ISSUER", Issuer.issuer)
        monkeypatch.setenv("AUDIENCE", Issuer.audience)
        monkeypatch.setenv("JWKS_URL", "https://issuer.local.invalid/keys")
        for cached in (aws.client, links, verifier):
            cached.cache_clear()
        yield made
    for cached in (aws.client, links, verifier):
        cached.cache_clear()


def table(stage: Cloud) -> Table:
    return Table(client=stage.dynamodb, name=TABLE, clock=aws.clock)


def link(keys: Keys, of: Caller = ADA, lasts: timedelta = HOUR) -> str:
    return Links(signer=Signer(keys=keys, clock=aws.clock)).make(of, APPROVAL, aws.clock.now() + lasts)


def refused(token: str, caplog: pytest.LogCaptureFixture) -> str:
    """Return why a token is refused, as operators are told."""
    caplog.clear()
    with caplog.at_level(logging.INFO):
        (statement,) = handler(request(f"Bearer {token}"), None)["policyDocument"]["Statement"]
    assert statement["Effect"] == "Deny"
    assert not any(part in str(vars(each)) for each in caplog.records for part in token.split(".") if len(part) > 9)
    return next(str(vars(each)["reason"]) for each in caplog.records if each.name == "authorize")


def test_a_link_identifies_a_caller_who_can_decide_one_approval(stage: Cloud) -> None:
    made = link(DynamoKeys(table(stage)))
    before = scan(stage.dynamodb)

    told = handler(request(f"Bearer {made}"), None)

    name = sha256(made.removeprefix("link~").encode()).hexdigest()[:32]
    of_it = {"tenant": ADA.tenant, "linked_subject": ADA.subject, "approval": APPROVAL, "link": name}
    assert told["context"] == {**of_it, "until": (aws.clock.now() + HOUR).isoformat()}
    found = caller({"requestContext": {"authorizer": told["context"]}})
    until = aws.clock.now() + HOUR
    assert found == Caller(tenant=ADA.tenant, subject=ADA.subject, approval=APPROVAL, link=name, until=until)
    assert scan(stage.dynamodb) == before


def test_what_a_tab_exchanged_its_link_for_says_of_no_link(stage: Cloud) -> None:
    made = Links(signer=Signer(keys=DynamoKeys(table(stage)), clock=aws.clock))
    holder = made.read(link(DynamoKeys(table(stage))))

    told = handler(request(f"Bearer {made.for_tab(holder, 'n' * 22)}"), None)

    assert told["context"] == {"tenant": ADA.tenant, "linked_subject": ADA.subject, "approval": APPROVAL}


def test_a_release_that_knows_no_links_finds_no_subject(stage: Cloud) -> None:
    """While one release replaces another, a function of the one may get what the authorizer of the other says."""
    told = handler(request(f"Bearer {link(DynamoKeys(table(stage)))}"), None)

    assert "subject" not in told["context"]


def test_it_counts_as_its_tenants_others_do(stage: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY_PREFIX", "a1b2c3d4e5Share")

    assert handler(request(f"Bearer {link(DynamoKeys(table(stage)))}"), None)["usageIdentifierKey"]


def test_an_expired_one_is_refused_and_auditors_are_told_whose_it_was(
    stage: Cloud, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    made = link(DynamoKeys(table(stage)))
    clock.advance(HOUR)

    assert refused(made, caplog) == "expired_link"
    (told,) = (vars(each) for each in caplog.records if each.name == "audit")
    assert {name: told[name] for name in ("event", "reason", "tenant", "subject")} == {
        **{"event": "request.refused", "reason": "expired_link"},
        **{"tenant": ADA.tenant, "subject": ADA.subject},
    }
    assert (told["at"], told["n"] > 0, bool(told["hash"])) == (clock.now().isoformat(), True, True)
    # Signed by the key of audit records, which the authorizer reads for this alone.
    secret = DynamoKeys(table(stage), AUDIT_KEYS).find(told["chain"].partition(".")[0])
    assert secret is not None
    assert told["mac"] == mac_of(told, secret)


@pytest.mark.parametrize(
    "alteration", ["another deployment's", "altered", "another tenant's", "cut", "made up", "empty"]
)
def test_any_other_is_refused_like_a_bad_token(stage: Cloud, caplog: pytest.LogCaptureFixture, alteration: str) -> None:
    good, eves = (link(DynamoKeys(table(stage)), of) for of in (ADA, Caller(tenant="rival", subject="eve")))
    bad = {
        "another deployment's": link(MemoryKeys(b"another")),
        "altered": good[:-1] + ("A" if good[-1] != "A" else "B"),
        "another tenant's": f"{eves.partition('.')[0]}.{good.partition('.')[2]}",
        "cut": good[:-9],
        "made up": "link~WyIyMDI2LTAxIiwxLHt9XQ.AAAA",
        "empty": "link~",
    }[alteration]

    assert refused(bad, caplog) == "bad_link"
    assert not [each for each in caplog.records if each.name == "audit"]


def test_a_key_that_was_retired_retires_the_links_that_it_signed(
    stage: Cloud, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    made = link(DynamoKeys(table(stage)))
    rotate(table(stage), accepted_for=timedelta())

    assert refused(made, caplog) == "bad_link"


def test_what_signs_links_is_not_asked_for_about_other_tokens(
    stage: Cloud, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("TABLE_NAME")

    assert refused("a.b.c", caplog) in ("malformed", "wrong_issuer")
    assert links.cache_info().currsize == 0


def test_a_table_that_does_not_answer_is_not_the_clients_fault(stage: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    made = link(DynamoKeys(table(stage)))
    monkeypatch.setenv("TABLE_NAME", "no-such-table")

    with pytest.raises(Exception, match="ResourceNotFoundException"):
        handler(request(f"Bearer {made}"), None)
