"""An export of the audit is proven as it is, and no line of it can be altered, removed, added or moved unseen."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.audit import check, main
from local.audit_proof import Export, fingerprint, prove
from local.stage import Refused
from mcp_tasks.audit.anchors import new_key, public_of, sign
from mcp_tasks.audit.chain import BEGINNING, Chain, canonical, digest
from tests.unit.audited import KEY, MINUTE, MemoryAnchors, Stage


def an_audit(*, gap: bool = False) -> tuple[Stage, list[str]]:
    """Return a stage of which three processes wrote for some minutes, and the lines of its export."""
    stage, chains = Stage(), [Chain() for _ in range(3)]
    for minute in range(5):
        for chain in chains[: minute + 1] if minute != 3 else ():
            stage.write(chain)
            stage.write(chain)
            stage.clock.advance(MINUTE / 60)
        if gap and minute == 1:
            chains[0].link({"event": "task.created"}, stage.clock.now(), KEY)
        stage.anchor()
    while gap and not stage.missing:
        stage.anchor()
    return stage, list(export_of(stage).lines())


def export_of(stage: Stage) -> Export:
    return Export(
        public_key=public_of(stage.anchors.key),
        anchors=stage.anchors.kept,
        records=[logged.record for _, logged in stage.log],
    )


STAGE, LINES = an_audit()
ANCHORS = sum('"anchor":' in line for line in LINES)


def faults(lines: list[str]) -> list[str]:
    return prove(lines).faults


def test_an_export_is_proven_as_it_is() -> None:
    proof = prove(LINES)

    assert (proof.faults, proof.noted) == ([], [])
    assert (proof.records, len(proof.anchors)) == (len(LINES) - 1 - ANCHORS, ANCHORS)
    assert proof.records == 18
    assert ANCHORS == 5
    assert proof.key == public_of(STAGE.anchors.key)


@pytest.mark.parametrize("place", range(len(LINES)))
def test_a_line_that_is_removed_is_found(place: int) -> None:
    assert faults(LINES[:place] + LINES[place + 1 :])


@pytest.mark.parametrize("place", range(len(LINES)))
def test_an_export_that_is_cut_off_is_found(place: int) -> None:
    assert faults(LINES[:place])


@pytest.mark.parametrize("place", range(len(LINES)))
def test_a_line_that_comes_twice_or_moves_is_found(place: int) -> None:
    rest = LINES[:place] + LINES[place + 1 :]

    assert faults(LINES[: place + 1] + LINES[place:])
    for other in {*range(0, len(LINES), 5), len(LINES) - 1} - {place}:
        assert faults([*rest[:other], LINES[place], *rest[other:]])


def alterations(value: Any) -> list[Any]:
    """Return what a value may be altered to, one thing at a time."""
    match value:
        case dict():
            changed = [{**value, name: other} for name, each in value.items() for other in alterations(each)]
            return [*changed, *({key: value[key] for key in value if key != name} for name in value), value | {"x": 1}]
        case list():
            items = [[*value[:at], new, *value[at + 1 :]] for at, each in enumerate(value) for new in alterations(each)]
            return [*items, [*value, 1], value[:-1]] if value else [[1]]
        case bool() | None:
            return [not value]
        case int():
            # 1 == 1.0 == True
            return [value + 1, value - 1, float(value), str(value), [value], *([True] if value == 1 else [])]
        case _:
            return [f"{value}0", value[:-1] if value else "0", 5, [value]]


@pytest.mark.parametrize("place", range(len(LINES)))
def test_whatever_is_altered_in_a_line_is_found(place: int) -> None:
    tried = alterations(json.loads(LINES[place]))

    assert len(tried) > 10
    for altered in tried:
        lines = [*LINES[:place], canonical(altered), *LINES[place + 1 :]]
        # The key itself is known from elsewhere.
        assert faults(lines) or prove(lines).key != public_of(STAGE.anchors.key), altered


@given(st.integers(0, len(LINES) - 1), st.data())
def test_any_character_that_is_altered_is_found(place: int, data: st.DataObject) -> None:
    line = LINES[place]
    at = data.draw(st.integers(0, len(line) - 1))
    character = data.draw(st.sampled_from('0a"{}[],: \\\n').filter(lambda each: each != line[at]))
    text = "\n".join([*LINES[:place], line[:at] + character + line[at + 1 :], *LINES[place + 1 :]])

    assert faults(text.splitlines()) or prove(text.splitlines()).key != public_of(STAGE.anchors.key)


@pytest.mark.parametrize("place", range(18))
def test_record_that_is_altered_with_all_hashes_after_it_is_found(place: int) -> None:
    documents = [json.loads(line) for line in LINES]
    records = [each for each in documents if "chain" in each]
    altered = records[place]
    before = next((each["hash"] for each in records if is_before(each, altered)), BEGINNING)
    altered["event"] = "task.cancelled"
    for each in records[place:]:
        if each["chain"] == altered["chain"]:
            before = each["hash"] = digest(before, each)

    assert any(f"of chain {altered['chain']} is altered." in fault for fault in faults([*map(canonical, documents)]))


def is_before(record: Any, other: Any) -> bool:
    return (record["chain"], record["n"]) == (other["chain"], other["n"] - 1)


def test_whoever_makes_all_hashes_again_cannot_sign_the_anchors() -> None:
    forged = Stage(anchors=MemoryAnchors(key=new_key()))
    _, lines = an_audit()
    chain = Chain()
    for _ in range(3):
        forged.write(chain)
    forged.anchor()

    # Whole, but signed by another key.
    other = list(export_of(forged).lines())
    assert faults(other) == []
    assert prove(other).key != public_of(STAGE.anchors.key)
    # Under the name of the stage's own key, the signature is not genuine.
    named = json.loads(other[0]) | {"key": json.loads(LINES[0])["key"]}
    assert faults([canonical(named), *other[1:]]) == ["Line 2: anchor 1 is forged, or altered."]
    assert faults(lines) == []


def test_an_anchor_that_somebody_else_signed_is_found() -> None:
    stage, _ = an_audit()
    stage.anchors.kept[2] = sign(stage.anchors.kept[2].anchor, new_key())

    assert faults(list(export_of(stage).lines())) == ["Line 4: anchor 3 is forged, or altered."]


def test_a_record_that_somebody_added_is_found_by_name() -> None:
    stage, _ = an_audit()
    stage.take_in(Chain().link({"event": "task.read", "at": "2026"}, stage.clock.now()))
    (fault,) = faults(list(export_of(stage).lines()))

    assert "is in no anchor" in fault


def test_what_was_missing_before_it_was_anchored_is_told_and_what_came_after_it_is_proven() -> None:
    stage, lines = an_audit(gap=True)
    proof = prove(lines)

    assert stage.missing == [(5, 5)]
    (noted,) = proof.noted
    assert (proof.faults, "record 5 of chain" in noted) == ([], True)
    for place in range(len(lines)):
        assert faults(lines[:place] + lines[place + 1 :])


def test_record_after_a_gap_that_is_altered_and_keeps_its_hash_is_found_as_altered() -> None:
    stage, lines = an_audit(gap=True)
    ((chain, *_),) = [lost for each in stage.anchors.kept for lost in each.anchor.missing]
    documents = [json.loads(line) for line in lines]
    (place,) = [at for at, each in enumerate(documents) if (each.get("chain"), each.get("n")) == (chain, 6)]

    altered = canonical({**documents[place], "event": "task.cancelled"})

    (fault,) = faults([*lines[:place], altered, *lines[place + 1 :]])
    assert fault == f"Line {place + 1}: record 6 of chain {chain} is altered."


@pytest.mark.parametrize("lines", [[], [""], ["{}"], ['{"export":1}'], ["[]"], ['{"export":2}'], ["x"]])
def test_what_is_no_export_is_told_as_such(lines: list[str]) -> None:
    assert faults(lines)


def test_a_header_alone_proves_nothing(tmp_path: Path) -> None:
    emptied = canonical(json.loads(LINES[0]) | {"first": 0, "last": 0, "records": 0})
    file = tmp_path / "export"
    file.write_text(emptied)

    assert faults([emptied]) == ["There are no anchors, so that nothing is proven."]
    assert main(["--check", str(file), "--key", fingerprint(public_of(STAGE.anchors.key))]) == 1


def test_a_link_of_any_length_is_read_as_fast_as_what_is_there() -> None:
    anchor = json.loads(LINES[1])
    chain = next(iter(anchor["chains"]))
    anchor["chains"][chain][0][1] = 10**15

    assert f"Records 1 to {10**15} of chain {chain} are missing." in faults([LINES[0], canonical(anchor)])


def test_nothing_in_a_file_reaches_the_terminal_but_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[2J\x1b[HProven: 18 records.\x9b8m\u202e"
    file = tmp_path / "export"
    file.write_text("\n".join([*LINES, canonical({"chain": hostile, "n": 1, "hash": "", "at": "9"})]))

    assert main(["--check", str(file), "--key", fingerprint(public_of(STAGE.anchors.key))]) == 1
    said = capsys.readouterr().out
    assert "?[2J?[HProven: 18 records.?8m?" in said
    assert all(line.isprintable() for line in said.splitlines())


def test_a_file_is_proven_by_the_fingerprint_of_a_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, key = tmp_path / "export", fingerprint(public_of(STAGE.anchors.key))
    file.write_text("\n".join([*LINES, ""]))

    assert main(["--check", str(file), "--key", key]) == 0
    assert "Proven: 18 records" in capsys.readouterr().out
    # No beginning of a fingerprint is enough: keys with the same first digits can be found.
    for other in ("another", key[:4], key[:63], f"{key[:16]}…"):
        assert main(["--check", str(file), "--key", other]) == 1
        assert f"It is signed by the key {key}, which is another one." in capsys.readouterr().out

    file.write_text("\n".join([*LINES[:-1], ""]))
    assert main(["--check", str(file), "--key", key]) == 1
    assert "is missing." in capsys.readouterr().out
    with pytest.raises(Refused, match="cannot be read"):
        check(tmp_path / "nothing", key)
