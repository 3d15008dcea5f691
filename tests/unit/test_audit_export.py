"""An export from a time on has all that was anchored since then, is proven by itself, and names no copy as added."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from local.arguments import moment
from local.audit import main
from local.audit_proof import fingerprint, prove
from mcp_tasks.adapters.cloudwatch_logs import AuditLog
from mcp_tasks.audit.chain import Chain, Key
from tests.kit import NOON
from tests.unit.audited import KEY, MINUTE, Stage
from tests.unit.test_audit_forgery import trail_of

SECOND = timedelta(seconds=1)


def test_export_has_what_was_logged_before_its_time_and_anchored_after_it() -> None:
    stage, chain = Stage(), Chain()
    stage.write(chain)
    stage.anchor()
    late = stage.write(chain, late=2 * MINUTE)
    for _ in range(2):
        stage.anchor()
    last = stage.write(chain)
    for _ in range(7):
        stage.anchor()

    export = trail_of(stage).export(NOON + 3 * MINUTE)

    assert [each.anchor.number for each in export.anchors] == [*range(3, 11)]
    assert [each["hash"] for each in export.records] == [late["hash"], last["hash"]]
    proof = prove(export.lines())
    assert (proof.faults, proof.noted, proof.records) == ([], [], 2)


def test_record_that_came_late_and_may_still_be_anchored_is_not_named_as_added() -> None:
    stage = Stage()
    stage.write(Chain())
    for _ in range(6):
        stage.anchor()
    stage.write(Chain(), late=2 * MINUTE)
    stage.anchor()
    stage.clock.advance(MINUTE)

    export = trail_of(stage).export(NOON)
    assert (prove(export.lines()).faults, len(export.records)) == ([], 1)
    stage.anchor()
    assert len(trail_of(stage).export(NOON).records) == 2


@pytest.mark.parametrize("key", [KEY, None], ids=["with a MAC", "without"])
def test_record_of_before_that_is_logged_again_is_not_named_as_added(key: Key | None) -> None:
    stage, chain = Stage(), Chain()
    record = stage.write(chain, key=key)
    forged = Chain().link({"event": "task.read"}, NOON, Key(KEY.name, b"a guess"))
    stage.take_in(forged)
    for _ in range(5):
        stage.anchor()
    for each in (record, forged):
        stage.take_in(each)
    for _ in range(9):
        stage.anchor()

    export = trail_of(stage).export(NOON + 5 * MINUTE)

    assert (prove(export.lines()).faults, export.records) == ([], [])


def test_check_of_an_export_fails_where_anything_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage, file = Stage(), tmp_path / "export"
    stage.write(Chain())
    stage.take_in(Chain().link({"event": "task.read"}, NOON, Key(KEY.name, b"a guess")))
    for _ in range(6):
        stage.anchor()
    file.write_text("\n".join(trail_of(stage).export(NOON).lines()))

    assert main(["--check", str(file), "--key", fingerprint(stage.anchors.public_key())]) == 1
    assert capsys.readouterr().out.splitlines()[0] == "Anchor 1 rejected 1 records that no function wrote."


@pytest.mark.parametrize(
    ("text", "utc"),
    [("2026-01-31", "2026-01-31T00:00:00"), ("2026-01-31T01:30+02:00", "2026-01-30T23:30:00")],
)
def test_time_without_a_zone_is_in_utc(text: str, utc: str) -> None:
    assert moment(text) == datetime.fromisoformat(f"{utc}+00:00")


@dataclass
class Logs:
    """CloudWatch Logs, which returns one event in a page, and none in the first."""

    lines: dict[str, list[str]]
    asked: list[dict[str, Any]] = field(default_factory=list)

    def filter_log_events(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        lines, place = self.lines[asked["logGroupName"]], int(asked.get("nextToken", 0))
        events = [{"timestamp": 1_767_268_800_001 + place, "message": lines[place - 1]}] if place else []
        more = {"nextToken": str(place + 1)} if place < len(lines) else {}
        return {"events": events, **more}


def test_all_pages_of_all_groups_are_read_between_two_moments() -> None:
    line = '{"chain": "%s", "n": 1, "hash": "h", "mac": "m", "level": "INFO"}'
    logs = Logs({"one": [line % "a", "START", line % "b"], "two": [line % "c"], "none": []})
    log = AuditLog(client=lambda: logs, groups=("one", "two", "none"))

    found = list(log.read(NOON, NOON + SECOND))

    assert [(each.record, each.at, each.mac) for each in found] == [
        ({"chain": name, "n": 1, "hash": "h"}, NOON + timedelta(milliseconds=after), "m")
        for name, after in (("a", 2), ("b", 4), ("c", 2))
    ]
    window = {"startTime": 1_767_268_800_000, "endTime": 1_767_268_801_000, "filterPattern": '"chain"'}
    assert [{name: each[name] for name in window} for each in logs.asked] == [window] * 7
    assert [each.get("nextToken") for each in logs.asked] == [None, "1", "2", "3", None, "1", None]
