"""The function that anchors the audit records, on the log groups and the table of a stage."""

import importlib
import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import boto3
import pytest
from awslambdaric.lambda_runtime_log_utils import JsonFormatter
from botocore.exceptions import ClientError

from mcp_tasks import audit, aws, bootstrap
from mcp_tasks.adapters.dynamodb.anchors import AUDIT, DynamoAnchors
from mcp_tasks.adapters.dynamodb.items import EPOCH
from mcp_tasks.adapters.dynamodb.keys import AUDIT_KEYS, DynamoKeys
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.audit.anchors import Anchor, is_genuine, sign
from mcp_tasks.audit.chain import KEYED, Chain
from mcp_tasks.limits.audit import KEPT_LONGER
from mcp_tasks.ports.keys import use_audit_keys
from mcp_tasks.settings import Settings
from tests.cloud import BUCKET, REGION, TABLE, Cloud, cloud, scan
from tests.harness.faults import refused
from tests.kit import ADA

GROUPS = ("changes", "endpoint")
RULE = "stage-AnchorAudit"
LOG_KEPT = timedelta(days=14)


@dataclass(frozen=True, kw_only=True)
class Deployed:
    """The function, the table and the log groups."""

    aws: Cloud
    logs: Any
    rules: Any
    handler: Callable[[Any, Any], None]
    anchors: DynamoAnchors

    @property
    def is_awake(self) -> bool:
        return bool(self.rules.describe_rule(Name=RULE)["State"] == "ENABLED")

    def log(self, group: str, *lines: str) -> None:
        now = int(aws.clock.now().timestamp() * 1000)
        events = [{"timestamp": now, "message": line} for line in lines]
        self.logs.put_log_events(logGroupName=group, logStreamName="stream", logEvents=events)


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    with cloud() as made:
        logs = boto3.client("logs", region_name=REGION)
        for group in GROUPS:
            logs.create_log_group(logGroupName=group)
            logs.create_log_stream(logGroupName=group, logStreamName="stream")
        monkeypatch.setenv("TABLE_NAME", TABLE)
        monkeypatch.setenv("PAYLOAD_BUCKET", BUCKET)
        monkeypatch.setenv("AUDIT_LOG_GROUPS", json.dumps(GROUPS))
        monkeypatch.setenv("LOG_RETENTION_DAYS", str(LOG_KEPT.days))
        monkeypatch.setenv("AUDIT_RULE", RULE)
        monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
        rules = boto3.client("events", region_name=REGION)
        rules.put_rule(Name=RULE, ScheduleExpression="rate(1 minute)", State="DISABLED")
        aws.client.cache_clear()
        handler = importlib.reload(importlib.import_module("functions.anchor_audit.handler")).handler
        table = Table(client=made.dynamodb, name=TABLE, clock=aws.clock)
        yield Deployed(aws=made, logs=logs, rules=rules, handler=handler, anchors=DynamoAnchors(table=table))
    aws.client.cache_clear()


@pytest.fixture
def written(
    deployed: Deployed, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> Callable[[int], list[str]]:
    """Return lines of a process's first audit records, each time of another process, whose key is in the table."""
    caplog.set_level(logging.INFO)
    table = Table(client=aws.client("dynamodb", aws.NETWORK), name=TABLE, clock=aws.clock)

    def write(count: int) -> list[str]:
        before = len(caplog.records)
        monkeypatch.setattr(audit, "CHAIN", Chain())
        monkeypatch.setattr(audit, "_unread_until", EPOCH)
        use_audit_keys(DynamoKeys(table, AUDIT_KEYS))
        for number in range(count):
            audit.write("task.created", ADA, {"task": f"t{number}"})
        return [JsonFormatter().format(each) for each in caplog.records[before:] if each.name == "audit"]

    return write


def test_what_all_groups_have_of_audit_records_is_anchored_and_nothing_else(
    deployed: Deployed, written: Callable[[int], list[str]]
) -> None:
    one, two, three, four = written(4)
    deployed.log("changes", one, "START RequestId", '{"message": "a \\"chain\\" of words"}', three)
    deployed.log("endpoint", two)
    deployed.handler({}, None)
    deployed.log("endpoint", four)
    deployed.handler({}, None)
    deployed.handler({}, None)

    newest = deployed.anchors.last()
    assert newest is not None
    kept = [each.anchor for each in deployed.anchors.since(newest.anchor.until - timedelta(days=1))]
    assert [each.number for each in kept] == [1, 2, 3]
    assert [each.count for each in kept] == [3, 1, 0]
    assert [each.before for each in kept[1:]] == [each.hash for each in kept[:-1]]
    assert [each.missing for each in kept] == [[], [], []]


def test_records_of_a_function_are_authentic_and_those_of_whoever_writes_to_its_log_are_rejected(
    deployed: Deployed, written: Callable[[int], list[str]]
) -> None:
    bootstrap.aws_ports(Settings.of(os.environ))
    first, second = written(2)
    deployed.log("endpoint", first, json.dumps(json.loads(second) | {"subject": "eve"}))
    deployed.handler({}, None)

    newest = deployed.anchors.last()
    assert newest is not None
    ((chain, links),) = newest.anchor.chains.items()
    assert KEYED.fullmatch(chain)
    assert ([(each.first, each.last) for each in links], newest.anchor.rejected) == ([(1, 1)], 1)


def test_anchors_are_signed_by_one_key_and_kept_longer_than_the_log(deployed: Deployed) -> None:
    for _ in range(2):
        deployed.handler({}, None)

    public = deployed.anchors.public_key()
    assert public is not None
    newest = deployed.anchors.last()
    assert newest is not None
    assert is_genuine(newest, public)
    items = {each["SK"]["S"]: each for each in scan(deployed.aws.dynamodb)}
    assert sorted(items) == ["anchor#000000000001", "anchor#000000000002", "signer#key"]
    assert {each["PK"]["S"] for each in items.values()} == {AUDIT}
    # DynamoDB deletes an item with this attribute, which the key has not.
    assert "expiresAt" not in items["signer#key"]
    left = float(items["anchor#000000000001"]["goneAt"]["N"]) - aws.clock.now().timestamp()
    assert abs(left - (LOG_KEPT + KEPT_LONGER).total_seconds()) < 60


def test_of_two_that_anchor_at_once_one_does(deployed: Deployed) -> None:
    deployed.handler({}, None)
    newest = deployed.anchors.last()
    assert newest is not None
    later = replace(newest.anchor, until=newest.anchor.until + timedelta(minutes=1))

    assert not deployed.anchors.add(sign(later, deployed.anchors.private_key()))
    assert deployed.anchors.last() == newest
    assert deployed.anchors.private_key() == deployed.anchors.private_key()


def test_anchors_since_a_moment_are_those_of_it_and_later_the_oldest_first(deployed: Deployed) -> None:
    private, now = deployed.anchors.private_key(), aws.clock.now()
    for number in range(1, 4):
        anchor = Anchor(number=number, until=now + number * timedelta(minutes=1), before="", chains={})
        assert deployed.anchors.add(sign(anchor, private))

    for minutes, numbers in ((0, [1, 2, 3]), (2, [2, 3]), (2.01, [3]), (3, [3]), (4, [])):
        found = deployed.anchors.since(now + minutes * timedelta(minutes=1))
        assert [each.anchor.number for each in found] == numbers


def test_first_record_of_a_chain_enables_the_rule_that_anchors_each_minute(deployed: Deployed) -> None:
    assert not deployed.is_awake
    deployed.handler({"awslogs": {"data": "as CloudWatch sends it"}}, None)

    assert deployed.is_awake
    assert deployed.anchors.last() is None
    left = deployed.anchors.awake_until() - aws.clock.now()
    assert timedelta(minutes=14) < left <= timedelta(minutes=15)


def test_round_without_records_disables_the_rule_where_nobody_woke_it(deployed: Deployed) -> None:
    deployed.rules.enable_rule(Name=RULE)
    deployed.handler({}, None)

    assert not deployed.is_awake


def test_round_with_records_enables_the_rule(deployed: Deployed, written: Callable[[int], list[str]]) -> None:
    deployed.log("changes", *written(1))
    deployed.handler({}, None)

    assert deployed.is_awake


def test_round_that_cannot_read_the_key_fails_and_the_next_one_rejects_no_record(
    deployed: Deployed, written: Callable[[int], list[str]]
) -> None:
    deployed.log("changes", *written(2))
    with refused("dynamodb", "GetItem"), pytest.raises(ClientError):
        deployed.handler({}, None)
    assert deployed.anchors.last() is None
    deployed.handler({}, None)

    newest = deployed.anchors.last()
    assert newest is not None
    assert (newest.anchor.count, newest.anchor.rejected) == (2, 0)


def test_anchor_whose_answer_was_lost_is_reported_and_goes_on(
    deployed: Deployed, written: Callable[[int], list[str]], caplog: pytest.LogCaptureFixture
) -> None:
    one, two = written(2)
    deployed.log("changes", one, two.replace('"tenant": "acme"', '"tenant": "rival"'))
    events = aws.client("dynamodb", aws.MORE_RETRIES).meta.events
    # The first answer to each call is lost, and the call is made again.
    events.register("needs-retry.dynamodb.PutItem", lambda attempts, **_: 0 if attempts == 1 else None)
    deployed.handler({}, None)

    assert [vars(each).get("reason") for each in caplog.records if each.message == "audit_broken"] == ["rejected"]
    assert deployed.is_awake
