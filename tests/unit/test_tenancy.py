"""The owner key: one for each tenant and subject, and reversible."""

import re
from itertools import product
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcp_tasks.limits.aws import MAX_TAG_CHARACTERS
from mcp_tasks.limits.tenants import MAX_OWNER_KEY_BYTES
from mcp_tasks.security.tenancy import ANONYMOUS, Caller

names = st.one_of(st.text(min_size=1, max_size=30), st.text(alphabet="#%ab~/é", min_size=1, max_size=5))


@given(st.tuples(names, names), st.tuples(names, names))
def test_two_callers_share_an_owner_key_only_if_they_are_the_same(one: tuple[str, str], other: tuple[str, str]) -> None:
    owner_keys = [Caller(tenant=tenant, subject=subject).owner_key for tenant, subject in (one, other)]

    assert (owner_keys[0] == owner_keys[1]) == (one == other)


@given(names, names)
def test_an_owner_key_leads_back_to_its_caller(tenant: str, subject: str) -> None:
    caller = Caller(tenant=tenant, subject=subject)

    assert Caller.of_owner_key(caller.owner_key) == caller


@given(names, names)
def test_an_owner_key_is_ascii_with_one_separator(tenant: str, subject: str) -> None:
    owner_key = Caller(tenant=tenant, subject=subject).owner_key

    assert owner_key.isascii()
    assert owner_key.count("#") == 1


@given(st.text())
def test_no_text_but_an_owner_key_leads_to_a_caller(text: str) -> None:
    try:
        caller = Caller.of_owner_key(text)
    except ValueError:
        return

    assert caller.owner_key == text


@pytest.mark.parametrize(
    "text", ["", "#", "acme", "acme#", "#ada", "acme#ada#", "acme#a%6", "acme#%61da", "acme#%zz", "acme#%e9", "é#ada"]
)
def test_a_text_that_is_no_owner_key_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"owner key|tenant"):
        Caller.of_owner_key(text)


hostile = st.one_of(
    st.text(alphabet="=%~./E7Ea*?$ ", min_size=1, max_size=6), names, st.text(min_size=MAX_TAG_CHARACTERS // 3)
)


def tag(tenant: str) -> str:
    return Caller(tenant=tenant, subject="s").tenant_tag


@given(hostile, hostile)
def test_two_tenants_never_have_one_tag(one: str, other: str) -> None:
    assume(len(quote(one)) < MAX_OWNER_KEY_BYTES // 2 and len(quote(other)) < MAX_OWNER_KEY_BYTES // 2)

    assert (tag(one) == tag(other)) == (one == other)
    # Nor is one the beginning of a folder or a partition of another's.
    assert not tag(one).startswith((f"{tag(other)}/", f"{tag(other)}#"))


@pytest.mark.parametrize("alphabet", ["=%~.7E", "=2EF.", "a=*?/"])
def test_no_two_short_names_have_one_tag(alphabet: str) -> None:
    short = ["".join(name) for length in range(1, 6) for name in product(alphabet, repeat=length)]

    assert len({tag(name) for name in short}) == len(short)


@given(hostile)
def test_a_tag_is_one_that_aws_takes_and_no_pattern_in_a_policy(tenant: str) -> None:
    assume(len(quote(tenant)) < MAX_OWNER_KEY_BYTES // 2)

    # What STS takes of a tag and Lambda of a tenant's id has more characters; this has none that mean something.
    assert re.fullmatch(r"[\w.=-]{1,256}", tag(tenant), re.ASCII)
    assert tag(tenant).strip(".")


@pytest.mark.parametrize(
    ("tenant", "expected"),
    [
        ("acme", "acme"),
        ("Acme-2.example_x", "Acme-2.example_x"),
        ("Ünal", "=C3=9Cnal"),
        ("a/b", "a=2Fb"),
        ("a~=%", "a=7E=3D=25"),
        ("..", "=2E=2E"),
        ("${aws:userid}", "=24=7Baws=3Auserid=7D"),
    ],
)
def test_a_tag_can_be_read(tenant: str, expected: str) -> None:
    assert tag(tenant) == expected


def test_a_long_name_has_a_hash_for_a_tag() -> None:
    longest, longer = "t" * MAX_TAG_CHARACTERS, "t" * (MAX_TAG_CHARACTERS + 1)

    assert tag(longest) == longest
    assert re.fullmatch("==[0-9a-f]{64}", tag(longer))
    assert tag(longer) != tag(tag(longer))


def test_a_separator_in_a_name_does_not_move_the_border() -> None:
    assert Caller(tenant="a#b", subject="c").owner_key == "a%23b#c"
    assert Caller(tenant="a", subject="b#c").owner_key == "a#b%23c"


@pytest.mark.parametrize(("tenant", "subject"), [("", "ada"), ("acme", ""), ("", "")])
def test_a_caller_without_a_name_is_rejected(tenant: str, subject: str) -> None:
    with pytest.raises(ValueError, match="tenant and a subject"):
        Caller(tenant=tenant, subject=subject)


def test_an_owner_key_may_fill_a_partition_key_and_no_more() -> None:
    longest = Caller(tenant="a", subject="s" * (MAX_OWNER_KEY_BYTES - 2))

    assert len(longest.owner_key.encode()) == MAX_OWNER_KEY_BYTES
    with pytest.raises(ValueError, match=str(MAX_OWNER_KEY_BYTES)):
        Caller(tenant="a", subject="s" * (MAX_OWNER_KEY_BYTES - 1))
    with pytest.raises(ValueError, match=str(MAX_OWNER_KEY_BYTES)):
        Caller(tenant="a", subject="é" * 400)


def test_half_a_character_is_rejected() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        Caller(tenant="acme", subject="\ud800")


def test_anonymous_stays_anonymous() -> None:
    assert not ANONYMOUS.identified
    assert Caller.of_owner_key(ANONYMOUS.owner_key) == ANONYMOUS


def test_nobody_can_be_identified_as_anonymous() -> None:
    with pytest.raises(ValueError, match="did not say"):
        Caller(tenant=ANONYMOUS.tenant, subject=ANONYMOUS.subject)
