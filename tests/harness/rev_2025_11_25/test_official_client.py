"""The official Python client waits for hours on the real handlers, in simulated time."""

import json
import subprocess
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from local.emulator import ROOT
from mcp_tasks.wire.http import HttpRequest
from tests.harness.tasks import DeployedTasks

HOUR, DAY = 3600, 24 * 3600
PROGRAM = [str(ROOT / ".local/client/bin/python"), "-m", "tests.clients.rev_2025_11_25.in_simulated_time"]


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.rev_2025_11_25.long_tools"


@dataclass(slots=True, kw_only=True)
class OfficialClient:
    """The client's process, whose requests are answered by the harness at the time at which they are sent."""

    tasks: DeployedTasks
    began: datetime
    resumed: list[float] = field(default_factory=list)

    def wait(self, how: str, tool: str, seconds: int) -> Any:
        """Return what the client says at its end."""
        command = [*PROGRAM, how, tool, str(seconds)]
        with subprocess.Popen(
            command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdin
            assert process.stdout
            for said in map(json.loads, process.stdout):
                if "result" in said:
                    return said
                process.stdin.write(json.dumps(self._answer(said)) + "\n")
                process.stdin.flush()
            assert process.stderr
            raise AssertionError(process.stderr.read())

    def _answer(self, sent: Any) -> Any:
        harness = self.tasks.harness
        harness.advance(self.began + timedelta(seconds=sent["at"]) - harness.clock.now())
        request = HttpRequest(method=sent["method"], headers=sent["headers"], body=sent["body"].encode())
        reply = self.tasks.gateway().send(request)
        if "last-event-id" in sent["headers"]:
            self.resumed.append(sent["at"])
        harness.run_until_idle()
        at = (harness.clock.now() - self.began).total_seconds()
        return {"at": at, "status": reply.status, "headers": dict(reply.headers), "body": reply.body or ""}


@pytest.fixture
def client(tasks: DeployedTasks) -> OfficialClient:
    return OfficialClient(tasks=tasks, began=tasks.harness.clock.now())


@pytest.mark.slow
def test_the_official_client_waits_for_a_day_in_one_request_and_resumes_it_400_times_at_most(
    client: OfficialClient,
) -> None:
    said = client.wait("task", "ponder", DAY)

    assert said["result"] == f"pondered {DAY} s"
    assert DAY <= said["at"] <= DAY + HOUR
    # It resumes by recursion, and Python allows it some 700.
    assert 100 < len(client.resumed) <= 400


@pytest.mark.slow
@pytest.mark.parametrize(("how", "tool"), [("task+", "ponder"), ("call+", "ponder_in_a_call")])
def test_the_official_client_hears_progress_every_45_seconds_where_it_asked_for_it(
    client: OfficialClient, how: str, tool: str
) -> None:
    said = client.wait(how, tool, HOUR)

    assert said["result"] == f"pondered {HOUR} s"
    assert max(later - before for before, later in pairwise([0, *said["heard"], said["at"]])) <= 45
