"""A link is good for its subject, approval and time, and for nothing else; and only as it was made."""

from datetime import timedelta
from hashlib import sha256

import pytest

from mcp_tasks import Caller
from mcp_tasks.adapters.memory.keys import MemoryKeys
from mcp_tasks.limits.requests import MAX_LINK_CHARACTERS
from mcp_tasks.limits.tenants import MAX_OWNER_KEY_BYTES
from mcp_tasks.limits.tools import MAX_AUDIENCE_BYTES
from mcp_tasks.security.links import NOBODYS, PURPOSE, LinkExpired, LinkRejected, Links
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tenancy import LINK_PREFIX
from tests.kit import ADA, NOON, FixedClock

HOUR = timedelta(hours=1)
APPROVAL = f"role:finance%20team#{'1' * 13}-{'a' * 32}"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def links(clock: FixedClock | None = None, secret: bytes = b"secret") -> Links:
    return Links(signer=Signer(keys=MemoryKeys(secret), clock=clock or FixedClock()))


def made() -> str:
    return links().make(ADA, APPROVAL, NOON + HOUR)


def test_a_link_says_for_whom_it_is_good_for_what_and_until_when() -> None:
    text = made()

    caller = links().read(text)

    link = sha256(text.removeprefix("link~").encode()).hexdigest()[:32]
    assert caller == Caller(tenant=ADA.tenant, subject=ADA.subject, approval=APPROVAL, link=link, until=NOON + HOUR)


def test_two_links_made_at_once_for_the_same_approval_are_used_apart() -> None:
    first, second = (links().read(made()) for _ in range(2))

    assert first.link != second.link


def test_a_link_of_the_release_before_is_good_and_has_an_id_to_be_used_by() -> None:
    said = {"tenant": ADA.tenant, "subject": ADA.subject, "approval": APPROVAL}
    signed = links().signer.sign(said, purpose=PURPOSE, owner_key=NOBODYS, lifetime=HOUR)

    caller = links().read(f"link~{signed}")

    assert (caller.subject, caller.approval, caller.until) == (ADA.subject, APPROVAL, NOON + HOUR)
    assert caller.link == sha256(signed.encode()).hexdigest()[:32]


def test_a_tabs_credential_is_the_same_for_its_nonce_ends_with_the_link_and_is_no_link() -> None:
    clock = FixedClock()
    holder = links().read(made())
    first = links().for_tab(holder, "n" * 22)
    clock.advance(timedelta(seconds=59))

    assert first == links(clock).for_tab(holder, "n" * 22) != links(clock).for_tab(holder, "m" * 22)
    assert links(clock).read(first) == Caller(tenant=ADA.tenant, subject=ADA.subject, approval=APPROVAL)
    clock.advance(HOUR - timedelta(seconds=59))
    with pytest.raises(LinkExpired):
        links(clock).read(first)


def test_its_holder_has_neither_the_scopes_nor_the_roles_of_who_made_it() -> None:
    whole = Caller(tenant="acme", subject="ada", scopes=frozenset({"a"}), roles=frozenset({"b"}), actor={"sub": "c"})

    caller = links().read(links().make(whole, APPROVAL, NOON + HOUR))

    assert (caller.scopes, caller.roles, caller.actor) == (frozenset(), frozenset(), None)


def test_it_is_a_bearer_token_and_looks_like_no_json_web_token() -> None:
    assert set(made()) <= set(LETTERS + ".~")
    assert made().startswith("link~")


def test_it_is_good_until_it_expires_and_then_says_whose_it_was() -> None:
    clock = FixedClock()
    text = made()
    clock.advance(HOUR - timedelta(seconds=1))
    assert links(clock).read(text).approval == APPROVAL

    clock.advance(timedelta(seconds=1))
    with pytest.raises(LinkExpired) as expired:
        links(clock).read(text)

    assert (expired.value.caller.tenant, expired.value.caller.subject) == (ADA.tenant, ADA.subject)


@pytest.mark.parametrize("after", [timedelta(), 2 * HOUR], ids=["in time", "expired"])
def test_no_byte_of_it_can_be_altered(after: timedelta) -> None:
    clock, text = FixedClock(), made()
    clock.advance(after)
    altered = {
        text[:place] + letter + text[place + 1 :]
        for place in range(len(text))
        for letter in (*LETTERS[::9], ".", "~", "=", "%", "\0", "\u00e9", "\ud800")
    } - {text}
    cut = {text[:end] for end in range(len(text))} | {text[start:] for start in range(1, len(text))}

    for each in (*altered, *cut, f"{text}=", f"{text} ", f"{text}.", f"{text}\n", LINK_PREFIX + text):
        with pytest.raises(LinkRejected):
            links(clock).read(each)


@pytest.mark.parametrize(
    ("purpose", "owner_key"),
    [("cursor", NOBODYS), (PURPOSE, ADA.owner_key), ("start ticket", ADA.owner_key), ("event", ADA.owner_key)],
)
def test_what_was_signed_for_another_use_is_no_link(purpose: str, owner_key: str) -> None:
    said = {"tenant": ADA.tenant, "subject": ADA.subject, "approval": APPROVAL}
    signed = links().signer.sign(said, purpose=purpose, owner_key=owner_key, lifetime=HOUR)

    for each in (signed, LINK_PREFIX + signed):
        with pytest.raises(LinkRejected):
            links().read(each)


def test_a_link_of_another_deployment_is_none_whatever_its_key_is_called() -> None:
    with pytest.raises(LinkRejected):
        links(secret=b"another").read(made())


def test_a_longer_one_is_rejected_before_anything_of_it_is_read() -> None:
    class Unread(MemoryKeys):
        def find(self, name: str) -> bytes | None:
            raise AssertionError("it was read")

    unread = Links(signer=Signer(keys=Unread(b"secret"), clock=FixedClock()))
    padded = made() + "A" * MAX_LINK_CHARACTERS

    with pytest.raises(LinkRejected):
        unread.read(padded)


@pytest.mark.parametrize("name", ["\u00e9", "\U0001f600", "\x01", '"', "a"], ids=ascii)
def test_the_longest_names_fit(name: str) -> None:
    most = len(Caller(tenant=name, subject="a").owner_key) - len("#a")
    caller = Caller(tenant="a", subject=name * ((MAX_OWNER_KEY_BYTES - len("a#")) // most))
    approval = f"role:{'a' * (MAX_AUDIENCE_BYTES - len('role:'))}#{'1' * 13}-{'a' * 32}"

    text = links().make(caller, approval, NOON + HOUR)

    assert links().read(text).subject == caller.subject
