"""Encrypted values cannot be read, changed, shared, used for another purpose or used after they expired."""

import base64
import json
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.security.encryption import NONCE_BYTES, Encryptor
from mcp_tasks.security.signing import BadSignature, Signer, decode, encode
from tests.kit import ADA, BOB, EVE, FixedClock

HOUR = timedelta(hours=1)
VALUE = {"steps": {"password": "hunter2"}, "responses": {}, "asked": ["who", "é"], "n": [1, None, 2.5]}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@dataclass(slots=True, kw_only=True)
class MonthlyKeys:
    """A key for each month, of which a process knows those it was given."""

    known: dict[str, bytes] = field(default_factory=lambda: {"2026-01": b"secret of january"})
    month: str = "2026-01"

    def current(self) -> tuple[str, bytes]:
        return self.month, self.known[self.month]

    def find(self, name: str) -> bytes | None:
        return self.known.get(name)


def encryptor(clock: FixedClock | None = None, keys: MonthlyKeys | None = None) -> Encryptor:
    return Encryptor(keys=keys or MonthlyKeys(), clock=clock or FixedClock())


def encrypted(value: Any = VALUE, of: Encryptor | None = None) -> str:
    return (of or encryptor()).encrypt(value, purpose="state", owner_key=ADA.owner_key, lifetime=HOUR)


def decrypted(text: str, *, purpose: str = "state", owner_key: str = ADA.owner_key, of: Encryptor | None = None) -> Any:
    return (of or encryptor()).decrypt(text, purpose=purpose, owner_key=owner_key)


ENCRYPTED = encrypted()


@pytest.mark.parametrize("value", [VALUE, {}, {"text": "\ud800 \0 ß"}, {"long": "x" * 100_000}])
def test_an_encrypted_value_is_decrypted(value: Any) -> None:
    assert decrypted(encrypted(value)) == value


def test_it_fits_into_a_url_and_a_header() -> None:
    assert set(ENCRYPTED) <= set(LETTERS + ".")


def test_nothing_of_it_can_be_read_but_which_key_it_is_and_how_long_it_lasts() -> None:
    label, body = ENCRYPTED.split(".")

    assert json.loads(decode(label)) == ["2026-01", int((FixedClock().now() + HOUR).timestamp())]
    for word in (b"hunter2", b"password", b"steps", b"who", b"2.5", b"state", ADA.owner_key.encode()):
        assert word not in decode(body)


def test_the_same_value_never_looks_the_same() -> None:
    texts = {encrypted() for _ in range(20)}

    assert len(texts) == 20
    assert len({decode(text.split(".")[1])[:NONCE_BYTES] for text in texts}) == 20


@pytest.mark.parametrize("owner_key", [BOB.owner_key, EVE.owner_key, "", ADA.owner_key + "x", ADA.owner_key.upper()])
def test_it_is_not_decrypted_for_another_owner(owner_key: str) -> None:
    with pytest.raises(BadSignature):
        decrypted(ENCRYPTED, owner_key=owner_key)


@pytest.mark.parametrize("purpose", ["cursor", "", "state ", "State"])
def test_it_is_not_decrypted_for_another_purpose(purpose: str) -> None:
    with pytest.raises(BadSignature):
        decrypted(ENCRYPTED, purpose=purpose)


def test_purpose_and_owner_cannot_trade_letters() -> None:
    text = encryptor().encrypt(VALUE, purpose="cur", owner_key="sor", lifetime=HOUR)

    with pytest.raises(BadSignature):
        decrypted(text, purpose="curs", owner_key="or")


def test_it_is_decrypted_until_it_expires_and_not_then() -> None:
    clock = FixedClock()
    text = encrypted(of=encryptor(clock))
    clock.advance(HOUR - timedelta(seconds=1))
    assert decrypted(text, of=encryptor(clock)) == VALUE
    clock.advance(timedelta(seconds=1))

    with pytest.raises(BadSignature):
        decrypted(text, of=encryptor(clock))


def test_its_time_cannot_be_prolonged() -> None:
    label, body = ENCRYPTED.split(".")
    name, expires = json.loads(decode(label))
    longer = encode(json.dumps([name, expires + 1]).encode())

    with pytest.raises(BadSignature):
        decrypted(f"{longer}.{body}")


def test_a_value_encrypted_last_month_is_decrypted_with_last_months_key() -> None:
    clock, keys = FixedClock(), MonthlyKeys()
    old = encrypted(of=encryptor(clock, keys))
    keys.known["2026-02"], keys.month = b"secret of february", "2026-02"
    new = encrypted(of=encryptor(clock, keys))

    assert json.loads(decode(new.split(".")[0]))[0] == "2026-02"
    assert decrypted(old, of=encryptor(clock, keys)) == decrypted(new, of=encryptor(clock, keys)) == VALUE
    del keys.known["2026-01"]
    with pytest.raises(BadSignature):
        decrypted(old, of=encryptor(clock, keys))


def test_another_key_of_the_same_name_does_not_decrypt_it() -> None:
    with pytest.raises(BadSignature):
        decrypted(ENCRYPTED, of=encryptor(keys=MonthlyKeys(known={"2026-01": b"guessed"})))


@pytest.mark.parametrize("name", ["2026-02", "", None, 7, True, ["2026-01"], {"2026-01": 1}])
def test_an_unknown_key_decrypts_nothing(name: object) -> None:
    label = encode(json.dumps([name, 4_000_000_000]).encode())

    with pytest.raises(BadSignature):
        decrypted(f"{label}.{ENCRYPTED.split('.')[1]}")


@pytest.mark.parametrize("secret", [b"", b"secret", b"guessed"])
def test_a_value_encrypted_with_a_forged_key_is_rejected(secret: bytes) -> None:
    forged = encrypted(of=encryptor(keys=MonthlyKeys(known={"2027-01": secret}, month="2027-01")))

    with pytest.raises(BadSignature):
        decrypted(forged)


def test_a_letter_that_was_changed_is_noticed_wherever_it_is() -> None:
    for place, letter in product(range(len(ENCRYPTED)), LETTERS + ".="):
        changed = ENCRYPTED[:place] + letter + ENCRYPTED[place + 1 :]
        if changed != ENCRYPTED:
            with pytest.raises(BadSignature):
                decrypted(changed)


@pytest.mark.parametrize(
    "changed",
    [
        ENCRYPTED[:-1],
        ENCRYPTED[1:],
        ENCRYPTED + "A",
        ENCRYPTED + "=",
        ENCRYPTED + "\n",
        " " + ENCRYPTED,
        ENCRYPTED + "." + ENCRYPTED,
        ENCRYPTED.split(".")[0],
        ENCRYPTED.split(".")[0] + ".",
        ENCRYPTED.split(".")[0] + "." + encode(b"x" * NONCE_BYTES),
        ENCRYPTED.split(".")[0] + "." + encode(decode(ENCRYPTED.split(".")[1])[:NONCE_BYTES]),
        "." + ENCRYPTED.split(".")[1],
        ENCRYPTED.replace("-", "+").replace("_", "/") + "====",
    ],
    ids=map(str, count()),
)
def test_a_longer_or_shorter_text_is_not_decrypted(changed: str) -> None:
    with pytest.raises(BadSignature):
        decrypted(changed)


def test_parts_of_two_encrypted_values_cannot_be_combined() -> None:
    other = encrypted({"steps": {}}, of=replace(encryptor(), clock=FixedClock(FixedClock().now() + HOUR)))

    with pytest.raises(BadSignature):
        decrypted(f"{ENCRYPTED.split('.')[0]}.{other.split('.')[1]}")


@given(st.text() | st.sampled_from(["", ".", "..", "a.b.c", "bnVsbA.AA", "e30.e30", "W10.W10", "NaN", "WzEsMl0.AAAA"]))
def test_no_other_text_is_decrypted(text: str) -> None:
    with pytest.raises(BadSignature):
        decrypted(text)


def test_deeply_nested_nonsense_is_rejected() -> None:
    bomb = base64.urlsafe_b64encode(b"[" * 200_000).decode().rstrip("=")

    with pytest.raises(BadSignature):
        decrypted(f"{bomb}.AAAA")


def test_a_signed_value_is_not_decrypted_and_an_encrypted_value_is_not_verified() -> None:
    keys, clock = MonthlyKeys(), FixedClock()
    signer = Signer(keys=keys, clock=clock)
    signed = signer.sign(VALUE, purpose="state", owner_key=ADA.owner_key, lifetime=HOUR)

    with pytest.raises(BadSignature):
        decrypted(signed)
    with pytest.raises(BadSignature):
        signer.verify(ENCRYPTED, purpose="state", owner_key=ADA.owner_key)


def test_what_the_release_before_encrypted_can_be_decrypted() -> None:
    carried = "WyIyMDI2LTAxIiwgMTc2NzI3MjQwMF0.HpVfU9CL_e-R4YxvQLxycwGgM2WbUMLpsmfbVaa-7EvoJhcs"

    assert encryptor().decrypt(carried, purpose="2026-07-28 round", owner_key=ADA.owner_key) == {"n": 1}
