"""Records that somebody wrote to the log groups who knows all but the key: none is proven, and each is noticed."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast

import pytest

from local.audit import Trail, said
from local.audit_proof import Proof, prove
from mcp_tasks.adapters.cloudwatch_logs import AuditLog
from mcp_tasks.adapters.dynamodb.anchors import DynamoAnchors
from mcp_tasks.audit.anchors import Anchor, Signed, sign
from mcp_tasks.audit.authenticity import Logged
from mcp_tasks.audit.chain import BEGINNING, FIELDS, Chain, Key, canonical, digest, mac_of, proven
from mcp_tasks.limits.audit import CHAIN_LASTS, FORGED_NAMED, LATE, LINKS_OF_CHAIN
from tests.kit import NOON
from tests.unit.audited import KEY, MINUTE, Stage

Record = dict[str, Any]
GUESSED = Key(KEY.name, b"a guess")
EVERYTHING: Mapping[str, Any] = {name: f"the {name}" for name in FIELDS}


def proof_of(stage: Stage) -> Proof:
    """Return what `make audit` finds when the last anchors have been made."""
    for _ in range(6):
        stage.anchor()
    return prove(trail_of(stage).export(NOON).lines())


def trail_of(stage: Stage) -> Trail:
    return Trail(anchors=cast(DynamoAnchors, stage.anchors), log=cast(AuditLog, stage))


def rehashed(records: list[Record], key: Key | None = None) -> list[Record]:
    """Return the records as somebody links them again who alters some: all hashes are right."""
    before, again = BEGINNING, list[Record]()
    for each in records:
        linked = {**each, "hash": digest(before, each)}
        before = linked["hash"]
        again.append(linked if key is None or linked == each else {**linked, "mac": mac_of(linked, key.secret)})
    return again


def of_a_chain(count: int, stage: Stage, **fields: Any) -> list[Record]:
    chain = Chain()
    return [chain.link({**EVERYTHING, "at": NOON.isoformat(), **fields}, stage.clock.now(), KEY) for _ in range(count)]


def logged(records: list[Record]) -> Stage:
    stage = Stage()
    for each in records:
        stage.take_in(each)
    return stage


def test_records_of_the_server_are_proven() -> None:
    proof = proof_of(logged(of_a_chain(3, Stage())))

    assert (proof.faults, proof.noted, proof.records, proof.unsure) == ([], [], 3, 0)


@pytest.mark.parametrize("keeps_macs", [True, False])
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("name", [*FIELDS, "n"])
def test_altered_field_with_all_hashes_made_again_is_not_proven(name: str, place: int, keeps_macs: bool) -> None:
    records = of_a_chain(3, Stage())
    value = 7 if name == "n" else "forged"
    altered = [{**each, name: value} if at == place else each for at, each in enumerate(records)]
    stage = logged(rehashed(altered, None if keeps_macs else GUESSED))
    proof = proof_of(stage)

    # The records before the altered one are the server's own.
    assert stage.rejected[0] == 3 - place
    assert f"Anchor 1 rejected {3 - place} records that no function wrote." in proof.noted
    assert proof.records == place


def test_altered_record_after_one_that_was_deleted_is_not_proven() -> None:
    _, second = of_a_chain(2, Stage())
    proof = proof_of(logged([{**second, "subject": "eve"}]))

    assert (proof.records, proof.noted) == (0, ["Anchor 1 rejected 1 records that no function wrote."])


def test_forged_chain_under_the_name_of_the_key_is_not_proven() -> None:
    chain = Chain()
    stage = logged([chain.link({"event": "task.read"}, NOON, GUESSED) for _ in range(3)])

    assert proof_of(stage).noted == ["Anchor 1 rejected 3 records that no function wrote."]


@pytest.mark.parametrize("mac", ["", "0" * 64, "\N{SNOWMAN}", "\ud800", "None"])
def test_record_with_any_other_mac_is_rejected(mac: str) -> None:
    (record,) = of_a_chain(1, Stage())

    assert proof_of(logged([{**record, "mac": mac}])).records == 0


def test_record_of_a_key_that_nobody_has_or_that_was_revoked_is_rejected() -> None:
    stage = logged(of_a_chain(2, Stage()))
    del stage.keys[KEY.name]

    assert proof_of(stage).noted == ["Anchor 1 rejected 2 records that no function wrote."]


def test_export_and_its_proof_outlast_the_key() -> None:
    stage = logged(of_a_chain(2, Stage()))
    stage.anchor()
    made_before = list(trail_of(stage).export(NOON).lines())
    stage.keys.clear()

    for proof in (prove(made_before), prove(trail_of(stage).export(NOON).lines())):
        assert (proof.faults, proof.noted, proof.records) == ([], [], 2)


def test_record_that_is_moved_to_another_place_is_rejected() -> None:
    first, second = of_a_chain(2, Stage())
    swapped = rehashed([{**second, "n": 1}, {**first, "n": 2}])
    proof = proof_of(logged(swapped))

    assert (proof.records, proof.noted) == (0, ["Anchor 1 rejected 2 records that no function wrote."])


def test_record_that_is_moved_to_another_chain_is_rejected() -> None:
    (record,), (other,) = of_a_chain(1, Stage()), of_a_chain(1, Stage())
    proof = proof_of(logged([other, *rehashed([{**record, "chain": other["chain"], "n": 2}])]))

    assert (proof.records, proof.noted) == (1, ["Anchor 1 rejected 1 records that no function wrote."])


def test_order_in_the_log_is_of_no_account() -> None:
    proof = proof_of(logged(of_a_chain(5, Stage())[::-1]))

    assert (proof.faults, proof.noted, proof.records) == ([], [], 5)


@pytest.mark.parametrize("after", [timedelta(), 3 * MINUTE, CHAIN_LASTS])
def test_record_that_is_logged_again_is_proven_once(after: timedelta) -> None:
    records = of_a_chain(2, Stage())
    stage = logged(records)
    stage.anchor()
    stage.clock.advance(after)
    for each in records:
        stage.take_in(each)
    proof = proof_of(stage)

    assert (proof.faults, proof.noted, proof.records) == ([], [], 2)
    assert sum(each.anchor.count for each in stage.anchors.kept) == 2


@pytest.mark.parametrize("after", [CHAIN_LASTS + LATE, timedelta(hours=3), timedelta(days=30)])
def test_record_that_is_logged_again_long_after_is_rejected(after: timedelta) -> None:
    records = of_a_chain(2, Stage())
    stage = logged(records)
    stage.anchor()
    stage.clock.advance(after)
    for each in records:
        stage.take_in(each)
    stage.anchor()

    assert sum(each.anchor.count for each in stage.anchors.kept) == 2
    assert sum(stage.rejected) == 2


def test_records_of_another_stage_are_rejected() -> None:
    other = Key(KEY.name, b"the key of another stage")
    chain = Chain()
    stage = logged([chain.link({"event": "task.read"}, NOON, other)])

    assert proof_of(stage).noted == ["Anchor 1 rejected 1 records that no function wrote."]


def test_rejected_records_are_counted_once_and_the_same_proof_names_what_the_server_wrote() -> None:
    stage = logged(of_a_chain(2, Stage()))
    (forged,) = rehashed([{**of_a_chain(1, Stage())[0], "subject": "eve"}], GUESSED)
    stage.take_in(forged)
    proof = proof_of(stage)

    assert stage.rejected == [1, 0, 0, 0, 0, 0]
    assert (proof.faults, proof.records) == ([], 2)
    assert next(iter(said(proof))) == "Anchor 1 rejected 1 records that no function wrote."


@pytest.mark.parametrize("key", [KEY, GUESSED, None])
def test_record_that_is_added_to_what_was_anchored_is_named(key: Key | None) -> None:
    stage, (added,) = logged(of_a_chain(1, Stage())), [Chain().link(EVERYTHING, NOON, key)]
    for _ in range(20):
        stage.anchor()
    now = stage.clock.now()
    stage.log.append((now, Logged(proven(added), now - 12 * MINUTE, added.get("mac", ""))))
    for _ in range(3):
        stage.anchor()
    export = trail_of(stage).export(NOON)

    # The header, 23 anchors and the record of the server come before it.
    assert prove(export.lines()).faults == [f"Line 26: record 1 of chain {added['chain']} is in no anchor."]


def test_records_without_a_mac_are_anchored_and_never_counted_as_proven(caplog: pytest.LogCaptureFixture) -> None:
    stage, chain = logged(of_a_chain(2, Stage())), Chain()
    for _ in range(3):
        stage.write(chain, key=None)
    proof = proof_of(stage)

    assert (proof.faults, proof.records, proof.unsure) == ([], 5, 3)
    told = [*said(proof)]
    assert told[0].startswith("Of 3 records no MAC was verified")
    assert told[-1].startswith("Proven: 2 records, ")
    # That they are wrong nothing says.
    (reported,) = [each for each in caplog.records if each.levelname != "INFO"]
    assert (reported.levelname, reported.message, vars(reported)["count"]) == ("WARNING", "audit_unproven", 1)


def test_record_without_a_mac_in_a_chain_that_has_them_is_rejected() -> None:
    first, second = of_a_chain(2, Stage())
    del second["mac"]
    proof = proof_of(logged([first, second]))

    assert (proof.records, proof.noted) == (1, ["Anchor 1 rejected 1 records that no function wrote."])


def test_chain_has_macs_by_one_key_or_none() -> None:
    chain = Chain()
    keys = [None, KEY, KEY, Key("2026-01-0123abcd", b"the next"), None]
    records = [chain.link({"event": "task.read"}, NOON, each) for each in keys]

    assert [each["n"] for each in records] == [1, 1, 2, 1, 1]
    assert [each["chain"].split(".")[0] for each in records[1:4]] == ["2026-01", "2026-01", "2026-01-0123abcd"]
    assert ["mac" in each for each in records] == [False, True, True, True, False]
    stage = logged(records)
    stage.keys["2026-01-0123abcd"] = b"the next"
    assert (proof_of(stage).unsure, stage.rejected[0]) == (2, 0)


@pytest.mark.parametrize(
    "strange",
    [
        *({"chain": "x" * 100_000}, {"chain": ""}, {"chain": "\ud800"}, {"chain": "2026-01.zzzzzzzz." + "0" * 16}),
        *({"chain": "2026-01.ffffffff." + "0" * 16}, {"n": 0}, {"n": -1}, {"n": True}, {"n": 10**30}),
        *({"hash": "x" * 100_000}, {"hash": ""}),
    ],
    ids=lambda strange: str(strange)[:40],
)
def test_record_that_no_release_writes_is_rejected(strange: Record) -> None:
    chain = Chain()
    stage = Stage()
    stage.take_in({**chain.link({"event": "task.read"}, NOON), **strange})

    assert proof_of(stage).noted == ["Anchor 1 rejected 1 records that no function wrote."]


def test_flood_of_forged_records_leaves_each_anchor_small_and_the_servers_records_proven() -> None:
    stage, chain = logged(of_a_chain(2, Stage())), Chain()
    for number in range(2_000):
        stage.take_in(chain.link({"event": "task.read", "task": f"{number}"}, NOON, GUESSED))
    with_gaps = Chain()
    for number in range(2_000):
        record = with_gaps.link({"event": "task.read"}, NOON)
        if number % 2:
            stage.take_in(record)
    stage.clock.advance(4 * MINUTE)
    stage.anchor()

    (anchor,) = [each.anchor for each in stage.anchors.kept]
    assert (anchor.rejected, len(anchor.forged)) == (2_000, FORGED_NAMED)
    assert max(len(links) for links in anchor.chains.values()) == LINKS_OF_CHAIN
    assert len(canonical(anchor.document)) < 100_000
    assert 2 in [links[-1].last for links in anchor.chains.values() if len(links) == 1]


def old(signed: Signed, key: bytes, **changes: Any) -> Signed:
    """Return an anchor as a release makes it that knows no MAC: it reads none of the fields about that."""
    known = {name: value for name, value in signed.anchor.document.items() if name not in ("rejected", "forged")}
    return sign(Anchor.of({**known, **changes}), key)


def test_anchors_of_a_release_that_verified_no_mac_are_read_and_prove_no_record() -> None:
    stage = logged(of_a_chain(2, Stage()))
    stage.anchor()
    stage.anchors.kept = [old(each, stage.anchors.key) for each in stage.anchors.kept]
    proof = proof_of(stage)

    assert (proof.faults, proof.records, proof.unsure) == ([], 2, 2)


def test_anchor_that_a_rolled_back_release_adds_follows_the_one_before() -> None:
    stage = logged(of_a_chain(2, Stage()))
    stage.anchor()
    stage.anchor()
    first, second = stage.anchors.kept
    as_read = old(first, stage.anchors.key).anchor
    stage.anchors.kept = [first, old(second, stage.anchors.key, before=as_read.hash)]

    assert proof_of(stage).faults == []
