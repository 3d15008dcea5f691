"""How clients of revision 2026-07-28 name objects."""

from functools import partial
from typing import Any, Final

from mcp_tasks.testing import rev_2026_07_28
from mcp_tasks.testing.client import RESPONDS
from mcp_tasks.testing.replies import Reply
from mcp_tasks.testing.rev_2026_07_28 import CAPABILITIES
from mcp_tasks.wire.calling import IDEMPOTENCY_KEY
from tests.attacks.objects import approvals_of, tasks_of
from tests.attacks.ways import APPROVAL_STATES, TASK_STATES, Objects, Way
from tests.harness.tasks import DeployedTasks

LISTED: Final = ("tools", "prompts", "resources/templates")
STATES: Final = {
    "task": TASK_STATES,
    **{f"cursor of {each}": ("second page",) for each in LISTED},
    "request state": ("of a call",),
    "request state of a prompt": ("asking",),
    "request state of a task": ("asking",),
    "idempotency key": ("used",),
    "another idempotency key": ("used",),
    "arguments": ("joinable",),
    "approval": APPROVAL_STATES,
}
KEYS: Final = ("k" * 20, "l" * 20)
INVALID_FORM: Final[Any] = {"action": "accept", "content": {"name": 7}}
ACCEPT: Final[Any] = {"action": "accept", "content": {"name": "Zoë"}}
RELATED: Final = "io.modelcontextprotocol/related-task"


class Client(rev_2026_07_28.Client):
    """A client that sends each request under the same id."""

    def warm_up(self) -> None:
        """Have the server read what it reads once a minute: the tenant's plan, and the key that signs cursors."""
        self.result("tools/list")
        self.plain("tools/call", name="ask_first")

    def objects(self, tasks: DeployedTasks) -> Objects:
        """Come by an object of each kind, in each of its states."""
        started = tasks_of(tasks, self)
        for key in KEYS:
            _repeat(self, key, number=5)
        self.plain("tools/call", name="share", arguments={"what": "w" * 20})
        tasks.harness.run_until_idle()
        within = self.plain("tools/call", name="ask_first").response["result"]
        behind = self.plain("tools/call", name="ask").response["result"]
        asked = self.plain("prompts/get", name="introduce").response["result"]
        return {
            "task": started,
            **{f"cursor of {each}": {"second page": self.result(f"{each}/list")["nextCursor"]} for each in LISTED},
            "request state": {"of a call": within["requestState"]},
            "request state of a prompt": {"asking": asked["requestState"]},
            "request state of a task": {"asking": behind["requestState"]},
            "idempotency key": {"used": KEYS[0]},
            "another idempotency key": {"used": KEYS[1]},
            "arguments": {"joinable": "w" * 20},
            "approval": approvals_of(tasks, self),
        }

    def ask(self, method: str, meta: Any = None, **params: Any) -> Reply:
        """Send a request."""
        return self.send_request(method, params, id=1, meta=meta)

    def plain(self, method: str, **params: Any) -> Reply:
        """Send a request of a client that does not know tasks."""
        return self.ask(method, {CAPABILITIES: RESPONDS}, **params)


def _named(client: Client, task_id: str, *, method: str, **params: Any) -> Reply:
    return client.ask(method, taskId=task_id, **params)


def _built_in(client: Client, task_id: str, *, tool: str) -> Reply:
    return client.plain("tools/call", name=tool, arguments={"task_id": task_id})


def _listen(client: Client, task_id: str) -> Reply:
    return client.ask("subscriptions/listen", notifications={"taskIds": [task_id]})


def _watch(client: Client, task_id: str) -> Reply:
    return client.ask("subscriptions/listen", notifications={"resourceSubscriptions": [f"task://{task_id}"]})


def _read(client: Client, task_id: str) -> Reply:
    return client.ask("resources/read", uri=f"task://{task_id}")


def _mention(client: Client, task_id: str) -> Reply:
    meta = {RELATED: {"taskId": task_id}, "progressToken": task_id, "io.modelcontextprotocol/relatedTaskIds": [task_id]}
    return client.ask("tools/list", meta, task={"taskId": task_id}, taskId=task_id)


def _decide(client: Client, approval: str, *, action: str, **more: Any) -> Reply:
    return client.plain("tools/call", name="approval_decide", arguments={"id": approval, "action": action, **more})


def _page(client: Client, cursor: str, *, method: str) -> Reply:
    return client.ask(method, cursor=cursor)


def _continue(client: Client, state: str, *, tool: str, **more: Any) -> Reply:
    return client.plain("tools/call", name=tool, requestState=state, **more)


def _continue_prompt(client: Client, state: str, **more: Any) -> Reply:
    return client.plain("prompts/get", name="introduce", requestState=state, **more)


def _repeat(client: Client, key: str, *, number: int) -> Reply:
    return client.ask("tools/call", {IDEMPOTENCY_KEY: key}, name="add", arguments={"numbers": [number]})


def _join(client: Client, what: str) -> Reply:
    return client.plain("tools/call", name="share", arguments={"what": what})


SOME: Final = frozenset({"working", "completed"})
ANSWER: Final[Any] = {"inputResponses": {"name": ACCEPT}}
WAYS: Final = [
    Way(name="tasks/get", kind="task", send=partial(_named, method="tasks/get")),
    Way(name="task_result", kind="task", send=partial(_built_in, tool="task_result")),
    Way(name="subscriptions/listen", kind="task", send=_listen),
    Way(name="subscriptions/listen to its URI", kind="task", send=_watch, states=SOME, ignored=True),
    Way(name="resources/read", kind="task", send=_read, states=SOME, ignored=True),
    Way(name="mentioned in _meta", kind="task", send=_mention, states=SOME, ignored=True),
    *(
        Way(name=f"cursor of {name}", kind=f"cursor of {name}", send=partial(_page, method=f"{name}/list"))
        for name in LISTED
    ),
    Way(name="requestState", kind="request state", send=partial(_continue, tool="ask_first")),
    Way(name="requestState, responses", kind="request state", send=partial(_continue, tool="ask_first", **ANSWER)),
    Way(name="requestState of a prompt", kind="request state of a prompt", send=_continue_prompt),
    Way(
        name="requestState of a prompt, responses",
        kind="request state of a prompt",
        send=partial(_continue_prompt, **ANSWER),
    ),
    Way(name="requestState of a task", kind="request state of a task", send=partial(_continue, tool="ask")),
    Way(
        name="requestState of a task, responses",
        kind="request state of a task",
        send=partial(_continue, tool="ask", **ANSWER),
    ),
    Way(name="tasks/update", kind="task", send=partial(_named, method="tasks/update", **ANSWER)),
    Way(
        name="tasks/update without responses",
        kind="task",
        send=partial(_named, method="tasks/update", inputResponses={}),
    ),
    Way(name="approval_decide, a form that does not fit", kind="approval", send=partial(_decide, **INVALID_FORM)),
    Way(name="approval_decide, declined", kind="approval", send=partial(_decide, action="decline")),
    Way(name="approval_decide, accepted", kind="approval", send=partial(_decide, **ACCEPT)),
    Way(name="task_cancel", kind="task", send=partial(_built_in, tool="task_cancel")),
    Way(name="tasks/cancel", kind="task", send=partial(_named, method="tasks/cancel")),
    Way(name="idempotency key", kind="idempotency key", send=partial(_repeat, number=5), starts=True),
    Way(
        name="idempotency key of another call",
        kind="another idempotency key",
        send=partial(_repeat, number=6),
        starts=True,
    ),
    Way(name="joinable call", kind="arguments", send=_join, starts=True),
]
"""In the order in which the owner can try them all: what ends a task comes last."""
