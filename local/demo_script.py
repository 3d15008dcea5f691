"""The steps of `make demo`, by an official MCP client: runs in the environment of `local/requirements/client.txt`.

    python -m local.demo_script URL TOKEN OTHER_TOKEN DATA_BUCKET [APPROVER_TOKEN]

TOKEN is of a subject of the tenant acme, OTHER_TOKEN of another tenant's; DATA_BUCKET is an output of the stack.
APPROVER_TOKEN is of another subject of acme, with the role finance; without it nobody approves anything.

Exits 0 only if every answer was right.
"""

import asyncio
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import boto3
from mcp import types

from local.demo_client import SENTENCE, TITLE, DemoClient, Screen, connect

PENGUINS = Path(__file__).parents[1] / "layers" / "examples" / "penguins.csv"
COPIES = 600
AFTER_SECONDS = 40
TIMEOUT_SECONDS = 20


class WrongAnswer(Exception):
    """The server did not behave as the demo expects; the text says what was expected."""


def expect(holds: bool, expected: str) -> None:
    """Raise `WrongAnswer` unless the condition holds."""
    if not holds:
        raise WrongAnswer(expected)


async def list_tools(client: DemoClient, screen: Screen) -> None:
    """List the tools, page by page."""
    screen.step("0  connect and list the tools")
    tools = await _listed(client)
    for tool in tools:
        support = tool.execution.taskSupport if tool.execution else None
        screen.line(tool.name, f"as a task: {support}.  {(tool.description or '').splitlines()[0]}")
    names = {tool.name for tool in tools}
    expect({"greet", "profile_csv", "publish_report", "refund", "remind_me"} <= names, "the example tools are listed")


async def _listed(client: DemoClient) -> list[types.Tool]:
    tools: list[types.Tool] = []
    cursor = None
    while not tools or cursor is not None:
        page = await client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        tools, cursor = tools + page.tools, page.nextCursor
    return tools


async def profile(client: DemoClient, screen: Screen) -> None:
    """Run a tool that takes a moment as a task."""
    screen.step("1  profile_csv as a task: 344 rows")
    profiled = await _profiled(client, screen, {"csv": PENGUINS.read_text()})
    for column in profiled["columns"]:
        screen.line("", _described(column))
    expect(profiled["rows"] == 344 and len(profiled["columns"]) == 8, "all rows and columns are counted")


async def profile_many(client: DemoClient, screen: Screen, bucket: str) -> None:
    """Run the tool on many copies of the same table, so that it takes long enough to report progress."""
    header, _, rows = PENGUINS.read_text().partition("\n")
    key = "acme/penguins.csv"
    boto3.client("s3").put_object(Bucket=bucket, Key=key, Body=f"{header}\n{rows * COPIES}".encode())
    screen.step(f"2  profile_csv as a task: {344 * COPIES:,} rows from the data bucket, with progress notifications")
    profiled = await _profiled(client, screen, {"source": "penguins.csv"})
    screen.line("", f"{profiled['rows']:,} rows")
    expect(profiled["rows"] == 344 * COPIES, "all rows are counted")


async def _profiled(client: DemoClient, screen: Screen, arguments: dict[str, str]) -> dict[str, Any]:
    tasks = client.session.experimental
    created = await tasks.call_tool_as_task("profile_csv", arguments, meta={"progressToken": screen.title})
    screen.line(created.task.status, f"task {created.task.taskId}")
    result = await tasks.get_task_result(created.task.taskId, types.CallToolResult)
    task = await tasks.get_task(created.task.taskId)
    expect(task.status == "completed" and not result.isError, "profile_csv completes")
    return result.structuredContent or {}


def _described(column: dict[str, Any]) -> str:
    if "mean" in column:
        spread = f"{column['min']:g} to {column['max']:g}, mean {column['mean']:.1f}"
    else:
        spread = ", ".join(f"{top['value']} {top['count']}" for top in column["top_values"])
    return f"{column['name']:<18} {column['type']:<8} {column['missing']:>2} missing   {spread}"


async def publish(client: DemoClient, screen: Screen, bucket: str) -> None:
    """Run a tool that elicits from the user and samples from the model, and is suspended meanwhile."""
    screen.step("3  publish_report as a task: it asks its user, and is suspended until they answer")
    tasks = client.session.experimental
    created = await tasks.call_tool_as_task("publish_report", {"csv": PENGUINS.read_text()})
    screen.line(created.task.status, f"task {created.task.taskId}")
    result = await tasks.get_task_result(created.task.taskId, types.CallToolResult)
    _, _, address = _text(result).rpartition("Published as ")
    screen.line("published", address)
    key = f"acme/{address.removeprefix('dataset://')}"
    report = boto3.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read().decode()
    screen.line("", report)
    expect(client.user.asked == ["user", "model"], "the user and their model are asked, each once")
    expect(report.startswith(f"# {TITLE}\n\n{SENTENCE}\n\n344 rows"), "what they answered is in the report")


def _text(result: types.CallToolResult) -> str:
    return result.content[0].text if isinstance(result.content[0], types.TextContent) else ""


async def refund(client: DemoClient, approver: DemoClient, screen: Screen) -> None:
    """Run a tool that asks somebody else than its caller, who answers by a client of their own."""
    screen.step("4  refund as a task: ada calls it, and a second person has to approve it")
    # Only of what it has listed does the SDK know what a tool returns.
    await _listed(approver)
    tasks = client.session.experimental
    created = await tasks.call_tool_as_task("refund", {"order": "A-1042", "reason": "It arrived broken."})
    screen.line(created.task.status, f"task {created.task.taskId}")
    (approval,) = await _inbox(approver)
    screen.line("grace's inbox", f"{approval['message']}\n{approval['shown']}")
    screen.line("ada's inbox", f"{len(await _inbox(client, wait=False)) or 'nothing'}")
    decision = {"id": approval["id"], "action": "accept", "content": {"amount": 24.9, "note": "It was damaged."}}
    own = await client.session.call_tool("approval_decide", decision)
    screen.line("ada accepts", _text(own))
    decided = await approver.session.call_tool("approval_decide", decision)
    screen.line("grace accepts", _text(decided))
    result = await tasks.get_task_result(created.task.taskId, types.CallToolResult)
    screen.line("", _text(result))
    expect(own.isError is True and not decided.isError, "ada cannot approve what she asked for, and grace can")
    expect(_text(result).startswith("Order A-1042 is refunded: 24.90, by "), "the task goes on with grace's answer")


async def _inbox(client: DemoClient, *, wait: bool = True) -> list[dict[str, Any]]:
    """Return what waits for a client's user, once there is something or 20 seconds are over."""
    found: list[dict[str, Any]] = []
    for _ in range(TIMEOUT_SECONDS * 5 if wait else 1):
        listed = await client.session.call_tool("approval_list", {})
        found = (listed.structuredContent or {})["approvals"]
        if found:
            break
        await asyncio.sleep(0.2)
    return found


async def remind(client: DemoClient, screen: Screen) -> None:
    """Wait in one `tasks/result` for a task that takes longer than API Gateway's 29 seconds."""
    screen.step(f"5  remind_me in {AFTER_SECONDS} s, awaited by one tasks/result")
    tasks = client.session.experimental
    created = await tasks.call_tool_as_task("remind_me", {"after_seconds": AFTER_SECONDS, "about": "the penguins"})
    screen.line(created.task.status, f"task {created.task.taskId}")
    client.requests.clear()
    result = await tasks.get_task_result(created.task.taskId, types.CallToolResult)
    waited = time.monotonic() - screen.began
    polls, resumed = client.count("tasks/get"), client.count("GET")
    screen.line("", _text(result))
    screen.line("", f"{resumed} GETs, which resume the stream or listen for requests; {polls} calls of tasks/get")
    expect(AFTER_SECONDS <= waited < AFTER_SECONDS + TIMEOUT_SECONDS, "the reminder comes when it is due")
    expect(resumed >= 2 and polls == 0, "the client resumes the stream and does not poll")


async def cancel(client: DemoClient, screen: Screen, machines: Any) -> None:
    """Cancel a task, whose execution is then aborted."""
    screen.step("6  remind_me in an hour, cancelled")
    tasks = client.session.experimental
    created = await tasks.call_tool_as_task("remind_me", {"after_seconds": 3600})
    screen.line(created.task.status, f"task {created.task.taskId}")
    execution = await _execution(machines, created.task.taskId, "RUNNING")
    screen.line("", f"execution {execution}")
    cancelled = await tasks.cancel_task(created.task.taskId)
    screen.line(cancelled.status, cancelled.statusMessage or "")
    execution = await _execution(machines, created.task.taskId, "ABORTED")
    screen.line("", f"execution {execution}")
    expect(cancelled.status == "cancelled" and execution == "ABORTED", "the execution of a cancelled task is aborted")


async def _execution(machines: Any, task_id: str, wanted: str) -> str:
    """Return the status of a task's execution, once it is the wanted one or 20 seconds are over."""
    found = "none"
    for _ in range(TIMEOUT_SECONDS * 5):
        for machine in machines.list_state_machines()["stateMachines"]:
            for execution in machines.list_executions(stateMachineArn=machine["stateMachineArn"])["executions"]:
                if execution["name"] == task_id:
                    found = execution["status"]
        if found == wanted:
            break
        await asyncio.sleep(0.2)
    return found


async def list_tasks(client: DemoClient, other: DemoClient, screen: Screen, completed: int) -> None:
    """List the caller's tasks, page by page, of which another tenant's caller sees none."""
    screen.step("7  tasks/list, page by page")
    cursor, seen, number = None, [], 0
    while number == 0 or cursor is not None:
        page = await client.session.experimental.list_tasks(cursor)
        number, cursor = number + 1, page.nextCursor
        seen += page.tasks
        screen.line(f"page {number}", ", ".join(f"{task.taskId[:12]}… {task.status}" for task in page.tasks))
    theirs = (await other.session.experimental.list_tasks()).tasks
    screen.line("other tenant", f"sees {len(theirs)} tasks")
    statuses = [task.status for task in seen]
    expect(
        statuses == ["cancelled"] + ["completed"] * completed and number > 1,
        "all tasks are listed, in pages",
    )
    expect(not theirs, "no caller sees another tenant's tasks")


async def run_demo(url: str, token: str, other_token: str, bucket: str, approver_token: str | None = None) -> bool:
    """Run all steps; returns whether every answer was right."""
    screen = Screen()
    machines = boto3.client("stepfunctions")
    async with connect(url, token, screen) as client, connect(url, other_token, screen) as other:
        try:
            await list_tools(client, screen)
            await profile(client, screen)
            await profile_many(client, screen, bucket)
            await publish(client, screen, bucket)
            if approver_token is not None:
                async with connect(url, approver_token, screen) as approver:
                    await refund(client, approver, screen)
            await remind(client, screen)
            await cancel(client, screen, machines)
            await list_tasks(client, other, screen, completed=4 if approver_token is None else 5)
        except WrongAnswer as wrong:
            screen.line("WRONG", f"expected: {wrong}")
            return False
    return True


def main() -> int:
    """Run the demo and print whether it succeeded; returns the exit status."""
    warnings.simplefilter("ignore")  # the SDK warns at every call that its support of tasks is experimental
    began = time.monotonic()
    if not asyncio.run(run_demo(*sys.argv[1:6])):
        return 1
    print(f"\nEvery answer was right, after {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
