"""How clients of revision 2025-11-25 name objects."""

from functools import partial
from typing import Any, Final

from mcp_tasks.testing import rev_2025_11_25
from mcp_tasks.testing.client import RESPONDS, Transport
from mcp_tasks.testing.replies import Reply
from mcp_tasks.testing.rev_2025_11_25 import RELATED_TASK, TASKS
from mcp_tasks.wire.calling import IDEMPOTENCY_KEY
from mcp_tasks.wire.extension import TASKS as EXTENSION
from tests.attacks.objects import approvals_of, tasks_of
from tests.attacks.ways import APPROVAL_STATES, TASK_STATES, Objects, Way
from tests.harness.tasks import DeployedTasks

LISTED: Final = ("tools", "tasks", "prompts", "resources/templates")
STATES: Final = {
    "task": TASK_STATES,
    **{f"cursor of {each}": ("second page",) for each in LISTED},
    "input request": ("open",),
    "event": ("of a task", "of a task that asks", "of a session"),
    "session": ("open", "ended"),
    "request": ("open",),
    "idempotency key": ("used",),
    "another idempotency key": ("used",),
    "arguments": ("joinable",),
    "approval": APPROVAL_STATES,
}
KEYS: Final = ("k" * 20, "l" * 20)
INVALID_FORM: Final[Any] = {"action": "accept", "content": {"name": 7}}
ACCEPT: Final[Any] = {"action": "accept", "content": {"name": "Zoë"}}
EXTENDED: Final[Any] = {"io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}}}


class Client(rev_2025_11_25.Client):
    """A client with one session, which sends each request under the same id."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, {**RESPONDS, **TASKS})
        self.initialize()

    def warm_up(self) -> None:
        """Have both functions read what they read once a minute: the tenant's plan, and the key that signs."""
        self.result("tools/list")
        self.resume(self.resume(None).last_event_id)

    def objects(self, tasks: DeployedTasks) -> Objects:
        """Come by an object of each kind, in each of its states."""
        started = tasks_of(tasks, self)
        for key in KEYS:
            _repeat(self, key, number=5)
        self.send_request("tools/call", {"name": "share", "arguments": {"what": "w" * 20}}, id="r" * 20)
        tasks.harness.run_until_idle()
        (request,) = self.input_requests(started["input_required"])
        ended = Client(self.transport)
        ended.send("DELETE")
        return {
            "task": started,
            **{f"cursor of {each}": {"second page": self.result(f"{each}/list")["nextCursor"]} for each in LISTED},
            "input request": {"open": request.id},
            "event": {
                "of a task": self.ask("tasks/result", taskId=started["working"]).last_event_id,
                "of a task that asks": self.ask("tasks/result", taskId=started["input_required"]).last_event_id,
                "of a session": self.resume(None).last_event_id,
            },
            "session": {"open": self.headers["mcp-session-id"], "ended": ended.headers["mcp-session-id"]},
            "request": {"open": "r" * 20},
            "idempotency key": {"used": KEYS[0]},
            "another idempotency key": {"used": KEYS[1]},
            "arguments": {"joinable": "w" * 20},
            "approval": approvals_of(tasks, self),
        }

    def ask(self, method: str, **params: Any) -> Reply:
        """Send a request."""
        return self.send_request(method, params, id=1)


def _named(client: Client, task_id: str, *, method: str, **params: Any) -> Reply:
    return client.ask(method, taskId=task_id, **params)


def _built_in(client: Client, task_id: str, *, tool: str) -> Reply:
    return client.ask("tools/call", name=tool, arguments={"task_id": task_id})


def _of_uri(client: Client, task_id: str, *, method: str) -> Reply:
    return client.ask(method, uri=f"task://{task_id}")


def _mention(client: Client, task_id: str) -> Reply:
    meta = {RELATED_TASK: {"taskId": task_id}, "progressToken": task_id}
    return client.ask("tools/list", _meta=meta, task={"taskId": task_id}, taskId=task_id)


def _notify(client: Client, named: str, *, method: str, field: str) -> Reply:
    return client.send_notification(method, {field: named, "_meta": {RELATED_TASK: {"taskId": named}}})


def _decide(client: Client, approval: str, *, action: str, **more: Any) -> Reply:
    return client.ask("tools/call", name="approval_decide", arguments={"id": approval, "action": action, **more})


def _page(client: Client, cursor: str, *, method: str) -> Reply:
    return client.ask(method, cursor=cursor)


def _respond(client: Client, request_id: str, **response: Any) -> Reply:
    return client.post({"jsonrpc": "2.0", "id": request_id, **response})


def _resume(client: Client, event_id: str) -> Reply:
    return client.resume(event_id)


def _in_session(client: Client, session_id: str, *, method: str, **params: Any) -> Reply:
    return client.send_request(method, params, id=1, mcp_session_id=session_id)


def _notify_session(client: Client, session_id: str) -> Reply:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    return client.post(cancelled, mcp_session_id=session_id)


def _listen_to_session(client: Client, session_id: str) -> Reply:
    return client.resume(None, mcp_session_id=session_id)


def _end(client: Client, session_id: str) -> Reply:
    return client.send("DELETE", mcp_session_id=session_id)


def _repeat(client: Client, key: str, *, number: int) -> Reply:
    meta = {IDEMPOTENCY_KEY: key}
    return client.ask("tools/call", name="add", arguments={"numbers": [number]}, task={}, _meta=meta)


def _join(client: Client, what: str) -> Reply:
    return client.ask("tools/call", name="share", arguments={"what": what})


IN_SESSION: Final[dict[str, dict[str, Any]]] = {
    "tools/list": {},
    "tasks/list": {},
    "ping": {},
    "logging/setLevel": {"level": "debug"},
    "resources/subscribe": {"uri": "note://1"},
    "tools/call": {"name": "add", "arguments": {"numbers": []}, "task": {}},
}
SOME: Final = frozenset({"working", "completed"})
ANSWER: Final[Any] = {"inputResponses": {"name": ACCEPT}, "_meta": EXTENDED}
WAYS: Final = [
    Way(name="tasks/get", kind="task", send=partial(_named, method="tasks/get")),
    Way(name="tasks/get of the extension", kind="task", send=partial(_named, method="tasks/get", _meta=EXTENDED)),
    Way(name="tasks/result", kind="task", send=partial(_named, method="tasks/result")),
    Way(name="task_result", kind="task", send=partial(_built_in, tool="task_result")),
    *(
        Way(name=name, kind="task", send=partial(_of_uri, method=name), states=SOME, ignored=True)
        for name in ("resources/read", "resources/subscribe")
    ),
    Way(name="mentioned in _meta", kind="task", send=_mention, states=SOME, ignored=True),
    *(
        Way(
            name=f"notifications/{name}",
            kind="task",
            send=partial(_notify, method=f"notifications/{name}", field=field),
            states=SOME,
            ignored=True,
            notes=name == "cancelled",
        )
        for name, field in [
            ("cancelled", "requestId"),
            ("progress", "progressToken"),
            ("tasks/status", "taskId"),
            ("elicitation/complete", "elicitationId"),
        ]
    ),
    Way(
        name="notifications/cancelled of a call",
        kind="request",
        send=partial(_notify, method="notifications/cancelled", field="requestId"),
        ignored=True,
        notes=True,
    ),
    *(
        Way(name=f"cursor of {name}", kind=f"cursor of {name}", send=partial(_page, method=f"{name}/list"))
        for name in LISTED
    ),
    Way(name="Last-Event-ID", kind="event", send=_resume),
    Way(name="tasks/update of the extension", kind="task", send=partial(_named, method="tasks/update", **ANSWER)),
    Way(name="response", kind="input request", send=partial(_respond, result=ACCEPT)),
    Way(name="response that is a task", kind="input request", send=partial(_respond, result={"task": {"taskId": "t"}})),
    Way(name="error response", kind="input request", send=partial(_respond, error={"code": -1, "message": "no"})),
    Way(name="approval_decide, a form that does not fit", kind="approval", send=partial(_decide, **INVALID_FORM)),
    Way(name="approval_decide, declined", kind="approval", send=partial(_decide, action="decline")),
    Way(name="approval_decide, accepted", kind="approval", send=partial(_decide, **ACCEPT)),
    Way(name="task_cancel", kind="task", send=partial(_built_in, tool="task_cancel")),
    Way(name="tasks/cancel of the extension", kind="task", send=partial(_named, method="tasks/cancel", _meta=EXTENDED)),
    Way(name="tasks/cancel", kind="task", send=partial(_named, method="tasks/cancel")),
    Way(name="idempotency key", kind="idempotency key", send=partial(_repeat, number=5), starts=True),
    Way(
        name="idempotency key of another call",
        kind="another idempotency key",
        send=partial(_repeat, number=6),
        starts=True,
    ),
    Way(name="joinable call", kind="arguments", send=_join, starts=True),
    *(
        Way(name=f"Mcp-Session-Id of {method}", kind="session", send=partial(_in_session, method=method, **params))
        for method, params in IN_SESSION.items()
    ),
    Way(name="Mcp-Session-Id of a notification", kind="session", send=_notify_session, notes=True),
    Way(name="Mcp-Session-Id of a stream", kind="session", send=_listen_to_session),
    Way(name="Mcp-Session-Id of DELETE", kind="session", send=_end),
]
"""In the order in which the owner can try them all: what ends a task or a session comes last."""
