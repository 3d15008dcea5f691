"""What an adopter's test says: start a tool as a task, let time pass, look at what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from tests.kit import ADA
from tests.stage.door import Door
from tests.stage.gateway import Gateway
from tests.stage.guest import StagedGuest
from tests.stage.stage import Stage

LIVE = ("working", "input_required")


class StillWorking(AssertionError):
    """The test asked for the result of a task that has none yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What the tool answered."""

    text: str
    structured: JSON
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedTask:
    """One task, as its caller sees it; every property asks the server.

    It asks as an `onlooker`, a client that can be asked nothing: else a look would be told the task's questions.
    """

    id: str
    door: Door
    onlooker: Door
    stage: Stage

    @property
    def status(self) -> str:
        """Where the task stands: working, input_required, completed, failed or cancelled."""
        return str(self._get()["status"])

    @property
    def message(self) -> str | None:
        """What the task last said of itself."""
        message: str | None = self._get().get("statusMessage")
        return message

    @property
    def result(self) -> Result:
        """What the tool answered; raises `StillWorking`, and `McpError` if there is only an error to tell."""
        if self.status in LIVE:
            raise StillWorking(f"the task is {self.status}")
        return _result(self.onlooker.ask("tasks/result", {"taskId": self.id}))

    @property
    def questions(self) -> Mapping[str, JSON]:
        """What the task asks now: the params of each question, by its key."""
        asked = StagedGuest(self.door.gateway).look(self.id).get("inputRequests", {})
        return {key: question["params"] for key, question in asked.items()}

    def answer(self, **answers: JSON) -> None:
        """Answer questions by their keys: `approve={"action": "accept", "content": {}}`; see `cancel`."""
        reply = StagedGuest(self.door.gateway).ask("tasks/update", {"taskId": self.id, "inputResponses": answers})
        self.stage.settle()
        if "error" in reply.answer:
            error = reply.answer["error"]
            raise McpError(error["code"], error["message"], error.get("data"))

    def cancel(self) -> None:
        """Cancel the task; what needs no time has happened when this returns.  Raises `McpError`."""
        self.door.ask("tasks/cancel", {"taskId": self.id})
        self.stage.settle()

    def _get(self) -> dict[str, JSON]:
        task: dict[str, JSON] = self.onlooker.ask("tasks/get", {"taskId": self.id})
        return task


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedTasks:
    """The server on the stage, as far as a tool's test needs it."""

    stage: Stage
    _doors: dict[Caller, Door] = field(default_factory=dict)
    _onlookers: dict[Caller, Door] = field(default_factory=dict)

    def call(self, tool: str, /, *, as_caller: Caller = ADA, **arguments: JSON) -> Result:
        """Call a tool without a task and return what it answered; raises `McpError`."""
        answer = self.door(as_caller).ask("tools/call", {"name": tool, "arguments": arguments})
        self.stage.settle()
        return _result(answer)

    def start(self, tool: str, /, *, as_caller: Caller = ADA, **arguments: JSON) -> StagedTask:
        """Call a tool as a task; what needs no time has happened when this returns.  Raises `McpError`."""
        door = self.door(as_caller)
        started = door.ask("tools/call", {"name": tool, "arguments": arguments, "task": {}})
        self.stage.settle()
        return self.find(started["task"]["taskId"], as_caller=as_caller)

    def run(self, tool: str, /, *, as_caller: Caller = ADA, **arguments: JSON) -> Result:
        """Call a tool as a task, let as much time pass as it needs, and return what it answered; raises `McpError`."""
        task = self.start(tool, as_caller=as_caller, **arguments)
        while task.status in LIVE:
            moment = self.stage.next_deadline()
            assert moment is not None, f"{tool} waits for something that no time will bring"
            self.stage.move(moment)
        return task.result

    def advance(self, **duration: float) -> None:
        """Let time pass: `advance(hours=1, minutes=30)`, named as `timedelta` names it."""
        self.stage.advance(timedelta(**duration))

    def find(self, task_id: str, /, *, as_caller: Caller = ADA) -> StagedTask:
        """Return a task of the caller's, which may or may not exist."""
        if as_caller not in self._onlookers:
            self._onlookers[as_caller] = Door(gateway=self.gateway(as_caller), capabilities={})
        return StagedTask(id=task_id, door=self.door(as_caller), onlooker=self._onlookers[as_caller], stage=self.stage)

    def door(self, caller: Caller = ADA) -> Door:
        """Return the caller's client, for requests that have no name here."""
        if caller not in self._doors:
            self._doors[caller] = Door(gateway=self.gateway(caller))
        return self._doors[caller]

    def gateway(self, caller: Caller = ADA) -> Gateway:
        """Return the caller's way to the server, for clients of the test's own."""
        return Gateway(lambdas=self.stage.lambdas, template=self.stage.template, caller=caller)


def _result(answer: JSON) -> Result:
    texts = [block["text"] for block in answer["content"] if block["type"] == "text"]
    return Result(
        text="\n".join(texts), structured=answer.get("structuredContent"), is_error=answer.get("isError", False)
    )
