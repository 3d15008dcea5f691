"""Anchoring on the emulator: the log of a function wakes it, and a rule runs it from then on."""

from datetime import UTC, datetime
from pathlib import Path

from local.stack import Stack
from tests.protocol.rev_2026_07_28.over_http import client
from tests.stack.audited import NAME, audit, records_in
from tests.timeout import until


def test_first_record_of_a_chain_enables_the_rule_and_what_is_written_is_anchored_by_it(
    stack: Stack, subject: str, tmp_path: Path
) -> None:
    rules, rule, export = stack.client("events"), f"{NAME}-AnchorAudit", tmp_path / "export"
    began = datetime.now(UTC).replace(microsecond=0)
    # As after a quarter of an hour without records; all processes begin another chain.
    rules.disable_rule(Name=rule)
    key = {"PK": {"S": "!audit!"}, "SK": {"S": "rounds#minute"}}
    stack.client("dynamodb").delete_item(TableName=stack.outputs["TableName"], Key=key)
    stack.emulator.renew_functions()
    assert rules.describe_rule(Name=rule)["State"] == "DISABLED"

    ada = client(stack.url, stack.token("acme", subject))
    ada.send_request("tasks/get", {"taskId": "nobody's"})
    until(lambda: rules.describe_rule(Name=rule)["State"] == "ENABLED", within=60, pause=0.5)

    def exported() -> bool:
        done = audit(stack, "--since", began.isoformat(), "--export", str(export))
        return done.returncode == 0 and subject in {each["subject"] for each in records_in(export)}

    until(exported, within=180, pause=2)
