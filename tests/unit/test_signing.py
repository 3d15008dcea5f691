"""Signed values are valid for their caller, purpose and lifetime only, and unchanged."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.adapters.memory.keys import MemoryKeys
from mcp_tasks.security.signing import BadSignature, Signer, decode, encode
from tests.kit import ADA, BOB, EVE, FixedClock

HOUR = timedelta(hours=1)
VALUE = {"after": "0c1", "n": 7, "deep": [None, {"é": "ß"}]}


def signer(clock: FixedClock | None = None, secret: bytes = b"secret") -> Signer:
    return Signer(keys=MemoryKeys(secret), clock=clock or FixedClock())


def signed(value: Any = VALUE) -> str:
    return signer().sign(value, purpose="cursor", owner_key=ADA.owner_key, lifetime=HOUR)


def verified(text: str, *, purpose: str = "cursor", owner_key: str = ADA.owner_key) -> Any:
    return signer().verify(text, purpose=purpose, owner_key=owner_key)


def test_a_signed_value_is_verified() -> None:
    assert verified(signed()) == VALUE


def test_a_signed_value_fits_into_a_url_and_a_header() -> None:
    assert set(signed()) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


@pytest.mark.parametrize("owner_key", [BOB.owner_key, EVE.owner_key, "", ADA.owner_key + "x"])
def test_it_is_not_verified_for_another_owner(owner_key: str) -> None:
    with pytest.raises(BadSignature):
        verified(signed(), owner_key=owner_key)


def test_it_is_not_verified_for_another_purpose() -> None:
    with pytest.raises(BadSignature):
        verified(signed(), purpose="stream")


def test_purpose_and_owner_cannot_trade_letters() -> None:
    text = signer().sign(VALUE, purpose="cur", owner_key="sor", lifetime=HOUR)

    with pytest.raises(BadSignature):
        verified(text, purpose="curs", owner_key="or")


def test_it_is_verified_until_it_expires_and_not_then() -> None:
    clock = FixedClock()
    text = signer(clock).sign(VALUE, purpose="cursor", owner_key=ADA.owner_key, lifetime=HOUR)
    clock.sleep(HOUR - timedelta(seconds=1))
    assert signer(clock).verify(text, purpose="cursor", owner_key=ADA.owner_key) == VALUE
    clock.sleep(timedelta(seconds=1))

    with pytest.raises(BadSignature):
        signer(clock).verify(text, purpose="cursor", owner_key=ADA.owner_key)


def test_another_key_of_the_same_name_does_not_verify_it() -> None:
    with pytest.raises(BadSignature):
        signer(secret=b"guessed").verify(signed(), purpose="cursor", owner_key=ADA.owner_key)


@pytest.mark.parametrize("name", ["other", "", None, 7, ["memory"], {"memory": 1}])
def test_an_unknown_key_verifies_nothing(name: object) -> None:
    payload = json.dumps([name, 4_000_000_000, VALUE]).encode()
    text = base64.urlsafe_b64encode(payload).decode().rstrip("=") + "." + signed().partition(".")[2]

    with pytest.raises(BadSignature):
        verified(text)


@given(st.integers(0, 200), st.sampled_from("AZaz09-_.=+/ é"))
def test_one_changed_letter_breaks_the_signature(place: int, letter: str) -> None:
    text = signed()
    place %= len(text)
    changed = text[:place] + letter + text[place + 1 :]
    if changed == text:
        return

    with pytest.raises(BadSignature):
        verified(changed)


@pytest.mark.parametrize("more", ["=", "==", "A", "\n", " ", ".", "%3D"])
def test_one_letter_more_breaks_the_signature(more: str) -> None:
    payload, signature = signed().split(".")

    for changed in (f"{payload}.{signature}{more}", f"{payload}{more}.{signature}", f"{more}{payload}.{signature}"):
        with pytest.raises(BadSignature):
            verified(changed)


@given(st.binary(max_size=40))
def test_bytes_have_one_spelling(data: bytes) -> None:
    text = encode(data)
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/="

    assert decode(text) == data
    assert [letter for letter in last if text and _decoded(text[:-1] + letter) == data] == list(text[-1:])


def _decoded(text: str) -> bytes | None:
    try:
        return decode(text)
    except ValueError:
        return None


@pytest.mark.parametrize("text", ["A", "AB", "ABC", "AA==", "A A", "AAA\n", "+/+/", "é", "AA.A", "_", "\0"])
def test_what_was_never_encoded_is_not_decoded(text: str) -> None:
    with pytest.raises(ValueError, match=r"not base64|not as it was encoded|ASCII"):
        decode(text)


@given(st.text() | st.sampled_from(["", ".", "..", "a.b.c", "W10.", "bnVsbA.AA", "e30.e30", "[" * 9000, "NaN"]))
def test_no_other_text_is_verified(text: str) -> None:
    with pytest.raises(BadSignature):
        verified(text)


def test_deeply_nested_nonsense_is_rejected() -> None:
    bomb = base64.urlsafe_b64encode(b"[" * 200_000).decode().rstrip("=")

    with pytest.raises(BadSignature):
        verified(f"{bomb}.AAAA")
