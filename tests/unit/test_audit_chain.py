"""The chain of a process's audit records: what is altered in it, or gone, is found by the hash of a later one."""

import ast
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from awslambdaric.lambda_runtime_log_utils import JsonFormatter

import mcp_tasks
from mcp_tasks import audit
from mcp_tasks.audit.chain import (
    BEGINNING,
    BEGINS,
    FIELDS,
    Chain,
    audit_record,
    digest,
    fits,
    mac_of,
    proven,
    record_and_mac,
)
from mcp_tasks.engine.current_run import mark_records, running
from mcp_tasks.engine.task_events import events_of
from mcp_tasks.limits.audit import CHAIN_LASTS
from mcp_tasks.ports.keys import use_audit_keys
from mcp_tasks.security.tenancy import Caller
from tests.kit import ADA, NOON
from tests.unit.test_task_events import CASES, FRESH

SAID: Mapping[str, Any] = {"event": "task.created", "tenant": "acme", "subject": "ada", "task": "t1", "version": 1}

HASH_BEFORE_CLIENTS = "d68975e2a5f9563e9b882a9037fa64626e0cde7cce3b4e63ddb640aab4ff1b56"


def linked(chain: Chain, count: int) -> list[dict[str, Any]]:
    return [chain.link({**SAID, "version": number}, NOON) for number in range(count)]


def test_records_are_numbered_and_each_fits_after_the_one_before() -> None:
    records = linked(Chain(), 3)

    assert [each["n"] for each in records] == [1, 2, 3]
    assert len({each["chain"] for each in records}) == 1
    heads = [BEGINNING, *(each["hash"] for each in records)]
    assert all(fits(head, each) for head, each in zip(heads[:-1], records, strict=True))
    assert not fits(BEGINNING, records[1])


@pytest.mark.parametrize("name", [*SAID, "n", "chain"])
def test_a_record_that_was_altered_fits_no_more(name: str) -> None:
    (record,) = linked(Chain(), 1)

    assert fits(BEGINNING, record)
    assert not fits(BEGINNING, {**record, name: "another"})
    assert not fits(
        BEGINNING, {key: value for key, value in record.items() if key != name} | {"n": 1, "x": 1, name: None}
    )


def test_what_was_added_to_a_record_is_nothing_or_is_found() -> None:
    (record,) = linked(Chain(), 1)

    assert proven({**record, "timestamp": "now", "level": "INFO"}) == record
    assert not fits(BEGINNING, {**record, "outcome": "returned"})


def test_no_two_chains_have_one_name_and_none_has_a_name_before_its_first_record() -> None:
    first, second = Chain(), Chain()

    assert not first._name
    assert linked(first, 1)[0]["chain"] != linked(second, 1)[0]["chain"]


@pytest.mark.parametrize("later", [CHAIN_LASTS, -2 * CHAIN_LASTS])
def test_a_chain_ends_in_time_and_another_begins(later: timedelta) -> None:
    chain = Chain()
    before, still = chain.link(SAID, NOON), chain.link(SAID, NOON + CHAIN_LASTS - timedelta(seconds=1))
    after = chain.link(SAID, NOON + later)

    assert before["chain"] == still["chain"] != after["chain"]
    assert after["n"] == 1
    assert fits(BEGINNING, after)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [JsonFormatter().format(each) for each in caplog.records if each.name == "audit"]


def test_what_is_logged_is_read_back_as_it_was_written(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    strange = Caller(tenant='a "b" \N{SNOWMAN}\u2028', subject="\x00 \\ é")
    audit.write("task.asked", strange, {"task": "t1", "shown": ["a", "b"], "again": False, "step": None, "unknown": 1})
    first = audit_record(lines(caplog)[0])
    assert first is not None
    audit.write("task.created", ADA, {"task": "t2", "at": "now"})

    second = audit_record(lines(caplog)[1])
    assert second is not None
    assert (first["tenant"], first["subject"], first["shown"]) == (strange.tenant, strange.subject, ["a", "b"])
    assert first["again"] is False
    assert not {"unknown", "step", "timestamp", "message"} & first.keys()
    assert (first["chain"], first["n"] + 1) == (second["chain"], second["n"])
    assert fits(first["hash"], second)


def test_a_record_that_is_written_during_a_run_says_no_more_than_was_hashed(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    logging.getLogger().addHandler(caplog.handler)
    mark_records()
    try:
        with running("greet", "t1"):
            audit.write("session.opened", ADA, {"session": "s"})
    finally:
        logging.getLogger().removeHandler(caplog.handler)

    record = audit_record(lines(caplog)[0])
    assert record is not None
    assert not {"tool", "task"} & record.keys()


def test_nothing_is_counted_where_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    audit.write("task.created", ADA, {})
    logging.getLogger("audit").setLevel(logging.WARNING)
    audit.write("task.created", ADA, {})
    logging.getLogger("audit").setLevel(logging.NOTSET)
    audit.write("task.created", ADA, {})

    numbers = [json.loads(line)["n"] for line in lines(caplog)]
    assert numbers == [numbers[0], numbers[0] + 1]


@pytest.mark.parametrize("line", ["START", "{", "[]", "1", '{"chain": 1}', '{"chain": "c", "n": "1", "hash": "h"}'])
def test_other_lines_are_no_audit_records(line: str) -> None:
    assert audit_record(line) is None


def test_every_field_that_is_noted_for_auditors_is_in_their_records() -> None:
    noted = {each.arg for each in _keywords_of("note_event")}

    assert {"outcome_read", "tenants_after"} <= noted
    assert noted - {None} <= {*FIELDS}


def test_no_field_is_one_of_the_loggers_own() -> None:
    own = {*vars(logging.makeLogRecord({})), "timestamp", "level", "message", "logger", "requestId", "location"}

    assert not own & {*FIELDS, "chain", "n", "hash", "mac", BEGINS}
    assert digest("a", {}) != digest("b", {})


def test_a_record_of_a_release_that_named_no_client_is_proven_as_it_was() -> None:
    said = {"event": "task.created", "at": "2026-11-25T12:00:00+00:00", "tenant": "acme", "subject": "ada"}
    record = {**said, "task": "t1", "version": 1, "chain": "c0", "n": 1, "hash": HASH_BEFORE_CLIENTS}

    assert fits(BEGINNING, record)
    assert not fits(BEGINNING, {**record, "client": "another"})


def test_no_field_of_an_event_says_whose_it_is_or_who_acts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    actor = {"sub": "agent", "act": {"sub": "planner"}}
    caller = Caller(tenant="acme", subject="ada", actor=actor, client_id="console")
    forged = ("event", "tenant", "subject", "client", "actor", "chain", "n", "hash", "mac")
    audit.write("task.read", caller, {**dict.fromkeys(forged, "forged"), "actors": ["forged"], "task": "t1"})

    record = audit_record(lines(caplog)[0])
    assert record is not None
    assert "forged" not in json.dumps(record)
    assert {name: record[name] for name in record if name not in ("chain", "n", "hash")} == {
        **{"event": "task.read", "tenant": "acme", "subject": "ada", "client": "console", "task": "t1"},
        **{"actor": "agent", "actors": ["agent", "planner"]},
    }


def test_all_that_is_told_of_the_events_of_tasks_is_in_their_records() -> None:
    acting = replace(FRESH, actor={"sub": "agent", "act": {"sub": "planner"}}, client_id="console", trace="t", plan="p")
    told = {name for each in events_of(None, acting) for name in each.fields}
    told |= {name for case in CASES for each in events_of(*case.change) for name in each.fields}

    assert told == {
        *("tool", "tool_version", "trace", "plan", "task", "version", "at", "client", "actor", "actors"),
        *("queued_ms", "running_ms", "suspended_ms", "duration_ms", "again", "outcome"),
        *("requests", "shown", "timed_out", "left"),
    }
    assert told < {*FIELDS}


class Keys:
    """The keys of audit records, which cannot be read as long as `away` is set."""

    def __init__(self) -> None:
        self.away, self.asked = False, 0

    def current(self) -> tuple[str, bytes]:
        self.asked += 1
        if self.away:
            raise ConnectionError
        return "2026-11", b"secret"

    def find(self, name: str) -> bytes | None:
        return b"secret" if name == "2026-11" else None


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "CHAIN", Chain())
    monkeypatch.setattr(audit, "_unread_until", NOON)


@pytest.mark.usefixtures("fresh")
def test_record_that_is_read_back_has_the_mac_of_its_content(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    use_audit_keys(Keys())
    audit.write("task.created", Caller(tenant='a "b" \u2028', subject="\x00 \\ é"), {"task": "t1", "step": None})

    found = record_and_mac(lines(caplog)[0])
    assert found is not None
    record, mac = found
    assert record["chain"].startswith("2026-11.")
    assert mac == mac_of(record, b"secret")
    assert mac != mac_of({**record, "task": "t2"}, b"secret")


@pytest.mark.usefixtures("fresh")
def test_key_that_cannot_be_read_for_a_moment_loses_no_record(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    keys = Keys()
    use_audit_keys(keys)
    for away, asked in ((False, 1), (True, 2), (True, 2), (False, 2)):
        keys.away = away
        audit.write("task.created", ADA, {"task": "t1"})
        assert keys.asked == asked
    monkeypatch.setattr(audit, "_unread_until", NOON)
    audit.write("task.created", ADA, {"task": "t1"})

    written = [record_and_mac(line) for line in lines(caplog)]
    assert [bool(each and each[1]) for each in written] == [True, False, False, False, True]
    assert [each and each[0]["n"] for each in written] == [1, 1, 2, 3, 1]
    (warned,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert vars(warned)["fallback"] == "audit_without_mac"


@pytest.mark.usefixtures("fresh")
def test_first_record_of_a_chain_says_so_to_the_log_alone(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    for _ in range(3):
        audit.write("task.created", ADA, {"task": "t1"})

    assert ["begins_chain" in json.loads(line) for line in lines(caplog)] == [True, False, False]
    record = audit_record(lines(caplog)[0])
    assert record is not None
    assert "begins_chain" not in record


def _keywords_of(function: str) -> Iterator[ast.keyword]:
    """Yield the arguments that the package gives a function by their names."""
    for path in Path(mcp_tasks.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
                yield from node.keywords
