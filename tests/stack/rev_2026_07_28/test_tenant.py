"""`make tenant` on the deployed stack: what an operator changes holds for the tenant's clients."""

import json
from pathlib import Path

import pytest

from local.stack import Stack
from tests.protocol.rev_2026_07_28.over_http import client
from tests.stack.tenants import make_tenant, shown
from tests.stack.work_folder import WorkFolder

pytestmark = pytest.mark.usefixtures("no_errors_logged")


def test_a_tenant_is_limited_by_what_an_operator_sets(stack: Stack) -> None:
    tenant = "limited & co."
    before = shown(stack, tenant, "--set", "requests_per_second=0.001 burst=1 subject_share=1")
    ada = client(stack.url, stack.token(tenant, "ada"))
    replies = [ada.send_request("tools/list") for _ in range(40)]

    assert before["differs"] == {"requests_per_second": 0.001, "burst": 1, "subject_share": 1}
    assert "result" in replies[0].message
    assert replies[-1].error["data"]["reason"] == "requests_per_second"
    assert int(replies[-1].headers["retry-after"]) > 900


def test_a_suspended_tenant_is_not_served_and_its_task_goes_on_and_is_exported(
    stack: Stack, subject: str, work_folder: WorkFolder, tmp_path: Path
) -> None:
    tenant = "suspended"
    ada = client(stack.url, stack.token(tenant, subject))
    ada.start("toil", folder=work_folder.folder)

    assert shown(stack, "waiting", "--suspend", "1")["suspended"]
    eve = client(stack.url, stack.token("waiting", subject))
    assert eve.send_request("tools/list").error["data"] == {"reason": "tenant_suspended", "retryAfter": 60}
    said = shown(stack, tenant, "--export", str(tmp_path / "out"))

    assert (said["plan"], said["used"]["active_tasks"]) == ("default", 1)
    assert said["exported"]["task"] == 1
    items = [json.loads(line) for line in (tmp_path / "out" / "items.jsonl").read_text().splitlines()]
    assert {item["PK"].partition("#")[0] for item in items} == {tenant}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--erase", "nobody"], "The tenant is served: suspend it first"),
        (["--erase", ""], "ERASE=1 needs TENANT=name beside it."),
        (["--plan", "gold"], "The stage has no plan 'gold', only default."),
        (["--set", "speed=5"], "SET has a field 'speed'"),
        (["--stack", "McpTaskServer-other"], "There is no stack McpTaskServer-other"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(stack: Stack, arguments: list[str], why: str) -> None:
    done = make_tenant(stack, "nobody", *arguments)

    assert done.returncode == 1
    assert why in done.stderr
    assert "Traceback" not in done.stderr
