"""The audit of a stage, on AWS.

Relied on: Lambda leaves a JSON record of Python's logging as it is, `FilterLogEvents` finds a term in a JSON record,
what a function wrote can be read there within three minutes, and a subscription filter of a term invokes the function,
which has EventBridge run it each minute, on a stage where nothing was written for an hour.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from local.audit import Trail
from local.audit_proof import prove
from local.stage import Refused
from mcp_tasks.wire.revisions import PACKAGES
from tests.live.deployed import Stage, until

pytestmark = pytest.mark.live

ANCHORED: Final = 6 * 60
"""Seconds after which a record is anchored, or missed."""


def test_what_happened_to_a_task_is_anchored_within_minutes_and_proven(stage: Stage) -> None:
    began, trail = datetime.now(UTC) - timedelta(minutes=1), Trail.of(stage.stack)
    task = stage.client(PACKAGES[0]).start_task("process_of_task")

    def proven() -> bool:
        try:
            export = trail.export(began)
        except Refused:
            return False
        proof = prove(export.lines())
        assert (proof.faults, proof.noted) == ([], [])
        return "task.finished" in {each["event"] for each in export.records if each.get("task") == task.id}

    until(proven, within=ANCHORED)
