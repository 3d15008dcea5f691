"""Anchoring: each chain is continued minute by minute, whatever comes late, twice, out of order, altered or never."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.audit.anchoring import Anchoring
from mcp_tasks.audit.anchors import FIRST, Link, is_genuine, new_key, pinned, public_of, sign
from mcp_tasks.audit.chain import BEGINNING, Chain, Key
from mcp_tasks.limits.audit import (
    CHAIN_LASTS,
    FILLED_WITHIN,
    HEADS_REMEMBERED,
    LATE,
    LINKS_IN_ANCHOR,
    READ_AGAIN,
    READ_AT_ONCE,
)
from tests.kit import NOON
from tests.unit.audited import KEY, MINUTE, Stage

SECOND = timedelta(seconds=1)


def test_a_chain_is_continued_by_each_anchor() -> None:
    stage, chain = Stage(), Chain()
    first, second = stage.write(chain), stage.write(chain)
    assert stage.anchor() == [Link(1, 2, BEGINNING, second["hash"])]
    assert stage.anchor() == []

    third = stage.write(chain)
    assert stage.anchor() == [Link(3, 3, second["hash"], third["hash"])]
    assert stage.missing == []
    assert first["hash"] != second["hash"]


def test_a_quiet_minute_is_anchored_too_and_each_anchor_is_linked_to_the_one_before() -> None:
    stage = Stage()
    for _ in range(3):
        assert stage.anchor() == []

    kept = [each.anchor for each in stage.anchors.kept]
    assert [each.number for each in kept] == [1, 2, 3]
    assert [each.before for each in kept] == [FIRST, kept[0].hash, kept[1].hash]
    assert [each.until for each in kept] == [NOON + minute * MINUTE for minute in (1, 2, 3)]


def test_chains_of_several_processes_are_kept_apart() -> None:
    stage, chains = Stage(), [Chain() for _ in range(5)]
    for _ in range(3):
        for chain in chains:
            stage.write(chain)

    assert [(each.first, each.last) for each in stage.anchor()] == 5 * [(1, 3)]


def test_what_comes_late_is_waited_for_and_anchored_with_what_came_after_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stage, chain = Stage(), Chain()
    stage.write(chain)
    stage.write(chain, late=2 * MINUTE)
    stage.write(chain)

    assert [(each.first, each.last) for each in stage.anchor()] == [(1, 1)]
    assert [(each.first, each.last) for each in stage.anchor()] == [(2, 3)]
    assert (stage.missing, caplog.records) == ([], [])


def test_what_never_comes_is_given_up_noted_and_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    stage, chain = Stage(), Chain()
    stage.write(chain)
    for _ in range(2):
        chain.link({"event": "task.created"}, NOON, KEY)
    after = stage.write(chain)
    last = stage.write(chain)
    for _ in range(6):
        stage.anchor()

    assert stage.missing == [(2, 3)]
    found = [link for each in stage.anchors.kept for links in each.anchor.chains.values() for link in links]
    assert found[1:] == [
        Link(4, 4, None, after["hash"], pinned(after)),
        Link(5, 5, after["hash"], last["hash"]),
    ]
    (reported,) = (each for each in caplog.records if each.message == "audit_broken")
    assert (reported.levelname, vars(reported)["first"], vars(reported)["last"]) == ("ERROR", 2, 3)
    stage.write(chain)
    assert [(each.first, each.pin) for each in stage.anchor()] == [(6, None)]


@pytest.mark.parametrize("altered", [{"task": "another"}, {"hash": "0" * 64}, {"event": "task.read"}, {"mac": "0"}])
def test_altered_record_before_its_anchor_is_rejected_and_given_up(
    altered: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    stage, chain = Stage(), Chain()
    stage.write(chain)
    stage.take_in(chain.link({"event": "task.created"}, NOON, KEY) | altered)
    stage.write(chain)
    for _ in range(5):
        stage.anchor()

    assert (stage.rejected, stage.missing) == ([1, 0, 0, 0, 0], [(2, 2)])
    reported = [each for each in caplog.records if each.levelname == "ERROR"]
    assert [each.message for each in reported] == ["audit_broken", "audit_broken"]
    assert [vars(each).get("reason") for each in reported] == ["rejected", None]


def test_records_that_anybody_may_have_made_are_reported_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    stage = Stage()
    unsure = sorted(stage.write(Chain(), key=None)["chain"] for _ in range(12))
    stage.write(Chain())
    for number in range(3):
        stage.take_in(Chain().link({"event": f"forged {number}"}, NOON, Key(KEY.name, b"a guess")))
    stage.clock.advance(MINUTE)
    anchoring = Anchoring(anchors=stage.anchors, read=stage.read, clock=stage.clock, find=stage.keys.get)

    # The rounds of each minute go on as long as any are found.
    assert [anchoring.run(), anchoring.run()] == [16, 0]
    told = [(each.message, each.levelname) for each in caplog.records]
    assert told == [("audit_unproven", "WARNING"), ("audit_broken", "ERROR")]
    unproven, broken = (vars(each) for each in caplog.records)
    assert [unproven[name] for name in ("anchor", "count", "chains")] == [1, 12, unsure[:10]]
    assert [broken[name] for name in ("anchor", "reason", "count")] == [1, "rejected", 3]


@pytest.mark.parametrize("altered", [{"task": "another"}, {"hash": "0" * 64}, {"event": "task.read"}])
def test_altered_record_without_a_mac_is_noted_as_broken(altered: dict[str, str]) -> None:
    stage, chain = Stage(), Chain()
    stage.write(chain, key=None)
    stage.take_in(chain.link({"event": "task.created"}, NOON) | altered)
    stage.write(chain, key=None)
    stage.anchor()

    assert (2, 2) in stage.missing


def test_altered_twin_of_a_record_is_rejected_and_the_record_is_anchored() -> None:
    stage, chain = Stage(), Chain()
    first = stage.write(chain)
    stage.take_in({**first, "task": "another"})
    second = stage.write(chain)

    assert stage.anchor() == [Link(1, 2, BEGINNING, second["hash"])]
    assert (stage.missing, stage.rejected) == ([], [1])


@pytest.mark.parametrize("forged_first", [True, False])
def test_of_twins_without_a_mac_the_one_that_fits_goes_on_and_the_place_is_noted(forged_first: bool) -> None:
    stage, chain = Stage(), Chain()
    records = [chain.link({"event": "task.created", "task": f"{number}"}, NOON) for number in range(3)]
    forged = {**records[1], "task": "another", "hash": "0" * 64}
    for each in (records[0], *sorted((forged, records[1]), key=lambda one: (one is forged) is not forged_first)):
        stage.take_in(each)
    stage.take_in(records[2])

    assert stage.anchor() == [Link(1, 3, BEGINNING, records[2]["hash"])]
    assert (stage.missing, stage.rejected) == ([(2, 2)], [0])


def test_a_record_that_is_logged_twice_is_one() -> None:
    stage, chain = Stage(), Chain()
    stage.take_in(stage.write(chain))

    assert [(each.first, each.last) for each in stage.anchor()] == [(1, 1)]
    assert stage.missing == []


def test_a_process_that_died_before_it_wrote_the_anchor_loses_nothing() -> None:
    stage, chain = Stage(), Chain()
    stage.anchor()
    stage.write(chain)
    stage.anchors.beaten = True
    stage.anchor()
    stage.anchors.beaten = False
    stage.write(chain)

    assert [(each.first, each.last) for each in stage.anchor()] == [(1, 2)]
    assert [each.anchor.number for each in stage.anchors.kept] == [1, 2]


def test_what_was_logged_during_hours_without_an_anchor_is_made_up_for() -> None:
    stage, chain = Stage(), Chain()
    stage.write(chain)
    stage.anchor()
    for _ in range(50):
        stage.clock.advance(10 * MINUTE)
        stage.write(chain)
    stage.anchor()

    counted = sum(each.anchor.count for each in stage.anchors.kept)
    assert (counted, stage.missing) == (51, [])
    last = stage.anchors.kept[-1].anchor
    assert last.until == stage.clock.now()
    assert len(stage.anchors.kept) >= 50 * 10 * MINUTE // READ_AT_ONCE


def test_more_chains_than_an_anchor_holds_are_several_anchors_of_which_the_last_says_how_far_the_log_is_read() -> None:
    stage = Stage()
    stage.anchor()
    for _ in range(LINKS_IN_ANCHOR + 1):
        stage.write(Chain())
    stage.anchor()

    first, second, third = (each.anchor for each in stage.anchors.kept)
    assert (len(first.chains), len(second.chains), len(third.chains)) == (0, LINKS_IN_ANCHOR, 1)
    assert (first.until, second.until, third.until) == (NOON + MINUTE, NOON + MINUTE, NOON + 2 * MINUTE)


def test_limits_fit_each_other() -> None:
    # What is given up is still being read, and no chain goes on whose head is forgotten.
    assert FILLED_WITHIN + MINUTE < READ_AGAIN < READ_AT_ONCE
    assert READ_AGAIN + READ_AT_ONCE + CHAIN_LASTS + LATE < HEADS_REMEMBERED


def test_only_who_has_the_key_signs_and_every_field_is_signed() -> None:
    stage, chain = Stage(), Chain()
    stage.write(chain)
    stage.anchor()
    (signed,) = stage.anchors.kept
    public = public_of(stage.anchors.key)

    assert is_genuine(signed, public)
    assert not is_genuine(sign(signed.anchor, new_key()), public)
    assert not is_genuine(replace(signed, signature="no"), public)
    changes: list[dict[str, Any]] = [
        *({"number": 7}, {"until": NOON}, {"before": "x"}, {"chains": {}}, {"missing": [("c", 1, 2)]})
    ]
    for change in changes:
        assert not is_genuine(replace(signed, anchor=replace(signed.anchor, **change)), public), change


STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "late", "twice", "minute"]), st.integers(0, 2)), min_size=1, max_size=40
)


@given(STEPS)
def test_whatever_comes_within_the_time_is_anchored_once_and_nothing_is_missed(steps: list[tuple[str, int]]) -> None:
    stage, chains = Stage(), [Chain() for _ in range(3)]
    for does, which in steps:
        match does:
            case "minute":
                stage.anchor()
            case "twice":
                stage.take_in(stage.write(chains[which]))
            case _:
                stage.write(chains[which], late=(2 * MINUTE if does == "late" else timedelta()))
        stage.clock.advance(SECOND)
    for _ in range(4):
        stage.anchor()

    assert stage.missing == []
    written = {(each.record["chain"], each.record["n"]) for _, each in stage.log}
    anchored = [
        (chain, number)
        for each in stage.anchors.kept
        for chain, links in each.anchor.chains.items()
        for link in links
        for number in range(link.first, link.last + 1)
    ]
    assert sorted(anchored) == sorted(written)
