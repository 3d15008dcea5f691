"""What `make demo` shows, told by an official MCP client: run with the environment of `local/requirements/client.txt`.

    python -m local.demo_script URL TOKEN OTHER_TOKEN DATA_BUCKET

The first token is that of a subject of the tenant acme, the other of another tenant; the bucket is the stack's.

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

PENGUINS = Path(__file__).with_name("penguins.csv")
MANY = 600
AFTER_SECONDS = 40
PATIENCE_SECONDS = 20


class WrongAnswer(Exception):
    """The server did not do what it promises."""


def expect(holds: bool, promise: str) -> None:
    """Stop the demo where a promise is broken."""
    if not holds:
        raise WrongAnswer(promise)


async def look_around(client: DemoClient, screen: Screen) -> None:
    """What is there to call."""
    screen.step("0  connect and list the tools")
    tools: list[types.Tool] = []
    cursor = None
    while not tools or cursor is not None:
        page = await client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        tools, cursor = tools + page.tools, page.nextCursor
    for tool in tools:
        support = tool.execution.taskSupport if tool.execution else None
        screen.line(tool.name, f"as a task: {support}.  {(tool.description or '').splitlines()[0]}")
    names = {tool.name for tool in tools}
    expect({"greet", "profile_csv", "publish_report", "remind_me"} <= names, "the example tools are listed")


async def profile(client: DemoClient, screen: Screen) -> None:
    """A tool of a moment, as a task."""
    screen.step("1  profile_csv as a task: 344 penguins")
    profiled = await _profiled(client, screen, {"csv": PENGUINS.read_text()})
    for column in profiled["columns"]:
        screen.line("", _described(column))
    expect(profiled["rows"] == 344 and len(profiled["columns"]) == 8, "all penguins are counted")


async def profile_many(client: DemoClient, screen: Screen, bucket: str) -> None:
    """The same table many times over, so that there is time to see how far it is."""
    header, _, rows = PENGUINS.read_text().partition("\n")
    key = "acme/penguins.csv"
    boto3.client("s3").put_object(Bucket=bucket, Key=key, Body=f"{header}\n{rows * MANY}".encode())
    screen.step(f"2  profile_csv as a task: {344 * MANY:,} penguins out of a bucket, with progress as it comes")
    profiled = await _profiled(client, screen, {"source": "penguins.csv"})
    screen.line("", f"{profiled['rows']:,} rows")
    expect(profiled["rows"] == 344 * MANY, "all of them are counted")


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
    """A tool that asks its user, and their model, before it goes on; what it waits for in between is the answer."""
    screen.step("3  publish_report as a task: it asks its user, and nothing of it runs until they answer")
    tasks = client.session.experimental
    created = await tasks.call_tool_as_task("publish_report", {"csv": PENGUINS.read_text()})
    screen.line(created.task.status, f"task {created.task.taskId}")
    result = await tasks.get_task_result(created.task.taskId, types.CallToolResult)
    _, _, address = _text(result).rpartition("Published as ")
    screen.line("published", address)
    key = f"acme/{address.removeprefix('dataset://')}"
    report = boto3.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read().decode()
    screen.line("", report)
    expect(client.person.asked == ["user", "model"], "the user and their model are asked, each once")
    expect(report.startswith(f"# {TITLE}\n\n{SENTENCE}\n\n344 rows"), "what they answered is in the report")


def _text(result: types.CallToolResult) -> str:
    return result.content[0].text if isinstance(result.content[0], types.TextContent) else ""


async def remind(client: DemoClient, screen: Screen) -> None:
    """A task that outlasts the gateway's 29 seconds, waited for in one `tasks/result`."""
    screen.step(f"4  remind_me in {AFTER_SECONDS} s, waited for in one tasks/result")
    tasks = client.session.experimental
    created = await tasks.call_tool_as_task("remind_me", {"after_seconds": AFTER_SECONDS, "about": "the penguins"})
    screen.line(created.task.status, f"task {created.task.taskId}")
    client.requests.clear()
    result = await tasks.get_task_result(created.task.taskId, types.CallToolResult)
    waited = time.monotonic() - screen.began
    polls, resumed = client.count("tasks/get"), client.count("GET")
    screen.line("", _text(result))
    screen.line("", f"{resumed} GETs, to wait and to look in for input requests; {polls} polls by the caller")
    expect(AFTER_SECONDS <= waited < AFTER_SECONDS + PATIENCE_SECONDS, "the reminder comes when it is due")
    expect(resumed >= 2 and polls == 0, "the wait is resumed, not polled")


async def cancel(client: DemoClient, screen: Screen, machines: Any) -> None:
    """A task that is cancelled stops working."""
    screen.step("5  remind_me in an hour, cancelled")
    tasks = client.session.experimental
    created = await tasks.call_tool_as_task("remind_me", {"after_seconds": 3600})
    screen.line(created.task.status, f"task {created.task.taskId}")
    execution = await _execution(machines, created.task.taskId, "RUNNING")
    screen.line("", f"execution {execution}")
    cancelled = await tasks.cancel_task(created.task.taskId)
    screen.line(cancelled.status, cancelled.statusMessage or "")
    execution = await _execution(machines, created.task.taskId, "ABORTED")
    screen.line("", f"execution {execution}")
    expect(cancelled.status == "cancelled" and execution == "ABORTED", "a cancelled task stops working")


async def _execution(machines: Any, task_id: str, wanted: str) -> str:
    """Return the status of a task's execution, once it is the wanted one or patience ends."""
    found = "none"
    for _ in range(PATIENCE_SECONDS * 5):
        for machine in machines.list_state_machines()["stateMachines"]:
            for execution in machines.list_executions(stateMachineArn=machine["stateMachineArn"])["executions"]:
                if execution["name"] == task_id:
                    found = execution["status"]
        if found == wanted:
            break
        await asyncio.sleep(0.2)
    return found


async def enumerate_tasks(client: DemoClient, stranger: DemoClient, screen: Screen) -> None:
    """The caller's tasks, page by page; another tenant's caller sees none of them."""
    screen.step("6  tasks/list, page by page")
    cursor, seen, number = None, [], 0
    while number == 0 or cursor is not None:
        page = await client.session.experimental.list_tasks(cursor)
        number, cursor = number + 1, page.nextCursor
        seen += page.tasks
        screen.line(f"page {number}", ", ".join(f"{task.taskId[:12]}… {task.status}" for task in page.tasks))
    theirs = (await stranger.session.experimental.list_tasks()).tasks
    screen.line("other tenant", f"sees {len(theirs)} tasks")
    statuses = [task.status for task in seen]
    expect(
        statuses == ["cancelled"] + ["completed"] * 4 and number > 1,
        "all tasks are listed, in pages",
    )
    expect(not theirs, "nobody sees another tenant's tasks")


async def run_demo(url: str, token: str, other_token: str, bucket: str) -> bool:
    """Go through all steps and tell whether every answer was right."""
    screen = Screen()
    machines = boto3.client("stepfunctions")
    async with connect(url, token, screen) as client, connect(url, other_token, screen) as stranger:
        try:
            await look_around(client, screen)
            await profile(client, screen)
            await profile_many(client, screen, bucket)
            await publish(client, screen, bucket)
            await remind(client, screen)
            await cancel(client, screen, machines)
            await enumerate_tasks(client, stranger, screen)
        except WrongAnswer as wrong:
            screen.line("WRONG", f"it should be so that {wrong}")
            return False
    return True


def main() -> int:
    """Go on the demo and tell how it went."""
    warnings.simplefilter("ignore")  # the client calls its own tasks experimental, at every step
    began = time.monotonic()
    if not asyncio.run(run_demo(*sys.argv[1:5])):
        return 1
    print(f"\nEvery answer was right, after {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
