"""What every `Board` promises, in memory and on DynamoDB."""

from datetime import timedelta

import pytest

from mcp_tasks.ports.change_feed import Board
from tests.kit import ADA, BOB, EVE, FixedClock

URI = "report://2026"
OTHER = "report://2025"
DAY = timedelta(days=1)


def test_a_version_rises_with_each_change_of_its_address_and_no_other(board: Board) -> None:
    versions = [board.version(ADA.owner_key, URI)]
    for _ in range(3):
        board.post(ADA.owner_key, URI)
        versions.append(board.version(ADA.owner_key, URI))

    assert versions[0] == 0
    assert sorted(set(versions)) == versions
    assert board.version(ADA.owner_key, OTHER) == 0


def test_callers_of_one_tenant_share_a_board_and_nobody_else_sees_it(board: Board) -> None:
    board.post(ADA.owner_key, URI)

    assert board.version(BOB.owner_key, URI) == board.version(ADA.owner_key, URI) > 0
    assert board.version(EVE.owner_key, URI) == 0


def test_a_version_rises_also_when_its_change_comes_from_a_clock_that_is_behind(
    board: Board, clock: FixedClock
) -> None:
    board.post(ADA.owner_key, URI)
    before = board.version(ADA.owner_key, URI)
    clock.advance(-timedelta(seconds=5))
    board.post(ADA.owner_key, URI)

    assert board.version(ADA.owner_key, URI) > before


def test_a_version_rises_above_one_that_was_forgotten(board: Board, clock: FixedClock) -> None:
    board.post(ADA.owner_key, URI)
    before = board.version(ADA.owner_key, URI)
    clock.advance(400 * DAY)
    board.post(ADA.owner_key, URI)

    assert board.version(ADA.owner_key, URI) > before


@pytest.mark.parametrize("uri", ["", "x" * 4_000, "report://é/\u2028", "#"], ids=lambda uri: repr(uri[:12]))
def test_an_address_may_be_any_text(board: Board, uri: str) -> None:
    board.post(ADA.owner_key, uri)

    assert board.version(ADA.owner_key, uri) > 0
