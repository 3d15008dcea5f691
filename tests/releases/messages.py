"""Records what the functions of this release send each other while clients call, and while runs of a task go on.

`python -m tests.releases.messages` writes `RELEASE/rev_*/messages.json`:

    said       what the client was answered, in the order of its calls
    inline     each message of the endpoint to `run_inline`, and its answer
    runs       each invocation of `run_tool`, with the table before it, each message to `host_run` with its answer, and
               what the run answered, or raised

The first release whose functions send each other any is 0.4.
"""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.engine import task_host
from mcp_tasks.features import catalogue
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import REVISIONS, package
from mcp_tasks.testing.state_machines.lambdas import function_name
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.executions import function_arn
from tests.harness.harness import Harness, deployed
from tests.harness.tasks import DeployedTasks
from tests.infra.assembly import synthesise
from tests.kit import ADA
from tests.releases.items import HERE, RELEASE
from tests.releases.messages_tools import NOTES
from tests.releases.record import CONTEXT

TOOLS = "tests.releases.messages_tools"
FILE = "messages.json"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
CREDENTIALS = {"access_key": "key", "secret_key": "secret", "session_token": "token"}

LOADED = 30
"""Characters that a run is given when it begins, so that it has to ask for steps and responses one by one."""


@contextmanager
def talking(template: Template, listed: str) -> Iterator[Harness]:
    """Yield a harness with the tools of these messages, and this catalogue of them."""
    with TemporaryDirectory() as folder, patch.object(task_host, "MAX_LOADED_CHARACTERS", LOADED):
        file = Path(folder) / "catalogue.json"
        file.write_text(listed)
        with deployed(template, {"TOOLS_MODULE": TOOLS, "CATALOGUE": str(file)}) as harness:
            yield harness


def said_to(client: Client) -> list[Any]:
    """Return what a client is answered to calls that are no tasks."""
    greetings = {name: {"name": "greet", "arguments": {"name": name}} for name in ("Ada", "nobody", "?")}
    whom = {"inputResponses": {"whom": {"action": "accept", "content": {"words": "Bob"}}}}
    completed = {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "A"}}
    watched = {"name": "tell", "arguments": {"name": "Ada"}, "_meta": {"progressToken": "p", LOG_LEVEL: "debug"}}
    asked: list[Callable[[], Any]] = [
        *(partial(client.request, "prompts/get", each) for each in greetings.values()),
        lambda: client.request("prompts/get", {**greetings["?"], **whom}),
        lambda: client.request("completion/complete", completed),
        lambda: client.request("resources/read", {"uri": NOTES}),
        lambda: client.request("tools/call", watched),
        lambda: asdict(client.call_tool("refuse", {"name": "Ada"})),
        lambda: asdict(client.call_tool("refuse", {"name": 7})),
    ]
    return [_answer(each) for each in asked]


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        # The request state is another one each time, and not needed where the responses are enough.
        return {name: value for name, value in ask().items() if name != "requestState"}
    except McpError as error:
        return {"code": error.code, "message": error.message, "data": error.data}


def run_tasks(tasks: DeployedTasks) -> None:
    """Have a task ask, sleep and end, one whose state machine returns its result, and one that renews its lease."""
    task = tasks.start("go_on", name="Ada")
    (question,) = task.client.input_requests(task.id)
    question.accept(words="yes")
    tasks.advance(hours=2)
    reminder = tasks.start("remind", after_seconds=60)
    outcome = {"scope": ADA.owner_key, "task": reminder.id, "output": "reminded"}
    tasks.harness.lambdas.invoke(function_name(function_arn(tasks.harness.template, "record_outcome")), outcome)
    # The run that comes then is not wanted any more.
    tasks.advance(minutes=2)
    tasks.run("keep_on", seconds=30)


def record(template: Template, revision: str) -> Mapping[str, Any]:
    """Return what functions send each other for clients of a revision."""
    listed = catalogue.write(TOOLS)
    with talking(template, listed) as harness:
        found: dict[str, Any] = {"catalogue": json.loads(listed), "inline": [], "runs": []}
        _keep(harness, "run_inline", lambda: found["inline"])
        _keep(harness, "host_run", lambda: found["runs"][-1]["messages"])
        _keep_runs(harness, found["runs"])
        tasks = DeployedTasks(harness=harness, revision=revision)
        found["said"] = said_to(tasks.connect())
        run_tasks(tasks)
        return found


def _keep(harness: Harness, folder: str, where: Callable[[], list[Any]]) -> None:
    def handler(event: Any, context: Any) -> Any:
        kept: dict[str, Any] = {"sent": event}
        where().append(kept)
        answer = before(event, context)
        # Those of moto look like somebody's.
        secret = {"credentials": CREDENTIALS} if "credentials" in answer else {}
        kept["answered"] = {**answer, **secret}
        return answer

    before = harness.replace(folder, handler)


def _keep_runs(harness: Harness, runs: list[Any]) -> None:
    def handler(event: Any, context: Any) -> Any:
        table = sorted(harness.table.items(), key=lambda item: (item["PK"]["S"], item["SK"]["S"]))
        run = {"now": harness.clock.now().isoformat(), "table": table, "event": event, "messages": []}
        runs.append(run)
        try:
            run["answered"] = before(event, context)
        except Exception as error:
            run["raised"] = [type(error).__name__, str(error)]
            raise
        return run["answered"]

    before = harness.replace("run_tool", handler)


if __name__ == "__main__":
    import tests.conftest  # noqa: F401  # sets the environment of tests

    with TemporaryDirectory() as temporary:
        template = Template.of_assembly(synthesise(Path(temporary) / "assembly", CONTEXT).folder)
        for each in REVISIONS:
            (HERE / RELEASE / package(each) / FILE).write_text(
                json.dumps(record(template, each), indent=1, default=lambda data: base64.b64encode(data).decode())
                + "\n"
            )
