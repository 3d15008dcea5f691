"""The issuer's keys, from a server on this machine: fetched, cached, used when stale, and given up."""

import logging
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from mcp_tasks.adapters.jwt.issuer_keys import IssuerKeys, KeysUnavailable
from mcp_tasks.limits.requests import MAX_KEYS_BYTES
from tests.key_server import BODY, HEAD, KeyServer, key_server
from tests.kit import FixedClock

KEY = ec.generate_private_key(ec.SECP256R1()).public_key()
OTHER = ec.generate_private_key(ec.SECP256R1()).public_key()
SOON = timedelta(milliseconds=200)
TIMEOUT = 20


@pytest.fixture
def server() -> Iterator[KeyServer]:
    with key_server() as server:
        server.publish(one=KEY)
        yield server


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def keys(server: KeyServer, clock: FixedClock) -> IssuerKeys:
    return IssuerKeys(server.url, clock=clock)


def down(server: KeyServer) -> None:
    server.status = 503


def silent(server: KeyServer) -> None:
    server.drips = b""


AWAY = [pytest.param(down, id="down"), pytest.param(silent, id="silent")]


def test_the_keys_are_fetched_once_for_five_minutes(server: KeyServer, clock: FixedClock, keys: IssuerKeys) -> None:
    for _ in range(5):
        assert keys.find("one")
        clock.advance(timedelta(minutes=1))
    assert server.fetches == 1

    assert keys.find("one")
    assert server.fetches == 2


def test_a_key_rotated_in_is_found_at_once_if_nobody_asked_lately(
    server: KeyServer, clock: FixedClock, keys: IssuerKeys
) -> None:
    keys.find("one")
    clock.advance(timedelta(seconds=30))
    server.publish(two=OTHER)

    assert keys.find("two")
    assert server.fetches == 2


def test_a_withdrawn_key_is_believed_for_five_minutes(server: KeyServer, clock: FixedClock, keys: IssuerKeys) -> None:
    keys.find("one")
    server.publish(two=OTHER)
    clock.advance(timedelta(minutes=5) - timedelta(seconds=1))
    assert keys.find("one")

    clock.advance(timedelta(seconds=1))
    assert keys.find("one") is None


def test_made_up_names_do_not_flood_the_issuer(server: KeyServer, clock: FixedClock, keys: IssuerKeys) -> None:
    for number in range(5):
        assert keys.find(f"made-up-{number}") is None
    assert server.fetches == 1

    clock.advance(timedelta(seconds=30))
    assert [keys.find(f"made-up-{number}") for number in range(5)] == [None] * 5
    assert server.fetches == 2


@pytest.mark.parametrize("away", AWAY)
def test_made_up_names_wait_once_for_an_issuer_that_is_away(
    server: KeyServer, clock: FixedClock, away: Callable[[KeyServer], None]
) -> None:
    keys = IssuerKeys(server.url, clock=clock, within=SOON)
    keys.find("one")
    clock.advance(timedelta(minutes=1))
    away(server)

    for number in range(5):
        with pytest.raises(KeysUnavailable):
            keys.find(f"made-up-{number}")
    assert keys.find("one")
    assert server.fetches == 2


@pytest.mark.parametrize("away", AWAY)
def test_known_keys_are_believed_for_an_hour_without_the_issuer(
    server: KeyServer, clock: FixedClock, caplog: pytest.LogCaptureFixture, away: Callable[[KeyServer], None]
) -> None:
    keys = IssuerKeys(server.url, clock=clock, within=SOON)
    keys.find("one")
    away(server)

    clock.advance(timedelta(minutes=59))
    with caplog.at_level(logging.WARNING):
        assert keys.find("one")
    assert [vars(record).get("keys_age") for record in caplog.records] == [None, 59 * 60]
    assert vars(caplog.records[0])["failures"] == 1

    clock.advance(timedelta(minutes=1))
    with pytest.raises(KeysUnavailable):
        keys.find("one")


def test_an_issuer_that_comes_back_is_believed_again_and_about_withdrawn_keys_too(
    server: KeyServer, clock: FixedClock, keys: IssuerKeys
) -> None:
    keys.find("one")
    down(server)
    clock.advance(timedelta(minutes=20))
    assert keys.find("one")

    server.publish(two=OTHER)
    clock.advance(timedelta(seconds=2))
    assert keys.find("two")
    assert keys.find("one") is None


def test_an_issuer_that_stays_away_is_asked_less_and_less_often(
    server: KeyServer, clock: FixedClock, keys: IssuerKeys
) -> None:
    down(server)
    fetched_after = []
    for second in range(100):
        before = server.fetches
        with pytest.raises(KeysUnavailable):
            keys.find("one")
        fetched_after += [second] if server.fetches > before else []
        clock.advance(timedelta(seconds=1))

    assert fetched_after == [0, 2, 6, 14, 30, 60, 90]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, b"{}"),
        (404, b""),
        (302, b""),
        (200, b"<html>"),
        (200, b"[]"),
        (200, b"7"),
        (200, b'{"keys": 7}'),
        (200, b'{"keys": []}'),
        (200, b'{"keys": [{"kty": "oct", "k": "AA", "kid": "one", "use": "enc"}]}'),
        (200, b"[" * 100_000),
        (200, b"\xff"),
        (200, b" " * (MAX_KEYS_BYTES + 1)),
    ],
)
def test_what_is_no_list_of_keys_is_an_outage(
    server: KeyServer, clock: FixedClock, keys: IssuerKeys, status: int, body: bytes
) -> None:
    server.status, server.body = status, body
    with pytest.raises(KeysUnavailable):
        keys.find("one")

    server.publish(one=KEY)
    clock.advance(timedelta(seconds=2))
    assert keys.find("one")


def test_an_issuer_that_cannot_be_reached_is_an_outage(clock: FixedClock) -> None:
    with key_server() as gone:
        keys = IssuerKeys(gone.url, clock=clock)

    with pytest.raises(KeysUnavailable):
        keys.find("one")


@pytest.mark.parametrize("beginning", [HEAD, BODY], ids=["head", "body"])
def test_an_answer_that_drips_is_given_up_and_not_read_on(
    server: KeyServer, clock: FixedClock, beginning: bytes
) -> None:
    """Each byte comes long before any read gives up."""
    keys = IssuerKeys(server.url, clock=clock, within=SOON)
    server.drips = beginning

    with pytest.raises(KeysUnavailable):
        keys.find("one")
    assert server.hung_up.wait(TIMEOUT)

    server.publish(one=KEY)
    clock.advance(timedelta(seconds=2))
    assert keys.find("one")


def test_a_name_that_is_not_looked_up_is_given_up_too(
    server: KeyServer, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, done = Event(), Event()

    def look_up(*arguments: Any, real: Any = socket.getaddrinfo) -> Any:
        found.wait(TIMEOUT)
        done.set()
        return real(*arguments)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    keys = IssuerKeys(server.url, clock=clock, within=SOON)

    with pytest.raises(KeysUnavailable):
        keys.find("one")
    assert not done.is_set()
    found.set()
    assert done.wait(TIMEOUT)
    assert server.fetches == 0


def test_of_many_threads_one_asks_the_issuer(server: KeyServer, keys: IssuerKeys) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(keys.find, ["one"] * 8))

    assert server.fetches == 1
