"""`subscriptions/listen`: what is honoured, which notifications are sent, and how it ends."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.features.listing import Features
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Failed, Returned
from mcp_tasks.testing.replies import Reply
from tests.kit import BOB, EVE, NOON
from tests.protocol import prompts_and_resources
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import LOG_LEVEL, SUBSCRIPTION, TASKS, Client

GATEWAY = timedelta(seconds=29)
WEATHER, FORECAST = "weather://now", "weather://tomorrow"


def listen(client: Client, *, id: Any = None, **wanted: Any) -> Reply:
    return client.send_request("subscriptions/listen", {"notifications": wanted}, id=id)


def honoured(reply: Reply) -> Any:
    (sent,) = reply.notifications("notifications/subscriptions/acknowledged")
    return sent["notifications"]


def shown(client: Client, task_id: str) -> Any:
    """Return the expected notification about a task: what `tasks/get` returns."""
    return {name: value for name, value in client.tasks_get(task_id).items() if name != "resultType"}


def notified_tasks(reply: Reply) -> list[Any]:
    return [
        {name: each[name] for name in each if name != "_meta"} for each in reply.notifications("notifications/tasks")
    ]


def changed(harness: Harness, uri: str, caller: Caller) -> None:
    Client(harness, caller).call("report", uri=uri)


@requirement("B-SUB-1", "B-SUB-4", "B-HTTP-10", "B-META-8")
def test_a_subscription_begins_with_what_is_honoured_and_ends_with_a_result(ada: Client) -> None:
    task_id = ada.start()

    reply = listen(ada, id="sub-1", taskIds=[task_id])

    acknowledged, answer = reply.messages
    assert (reply.streamed, reply.headers["x-accel-buffering"]) == (True, "no")
    assert acknowledged == {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": {SUBSCRIPTION: "sub-1"}, "notifications": {"taskIds": [task_id]}},
    }
    assert (answer["id"], answer["result"]["resultType"]) == ("sub-1", "complete")
    assert answer["result"]["_meta"][SUBSCRIPTION] == "sub-1"


@requirement("B-SUB-3", "B-META-8")
@pytest.mark.parametrize("id", [0, 7, "0", "7", "", "é" * 256], ids=repr)
def test_all_of_it_names_the_subscription_with_its_type(harness: Harness, ada: Client, id: Any) -> None:
    task_id = ada.start()
    harness.while_waiting(lambda: harness.run(task_id))

    *sent, answer = listen(ada, id=id, taskIds=[task_id]).messages

    named = [message["params"]["_meta"][SUBSCRIPTION] for message in sent]
    named.append(answer["result"]["_meta"][SUBSCRIPTION])
    assert [(each, type(each)) for each in named] == [(id, type(id))] * 3


@requirement("B-SUB-4")
def test_without_updates_it_ends_before_the_gateway_would_end_it(harness: Harness, ada: Client) -> None:
    reply = listen(ada, taskIds=[ada.start()], resourceSubscriptions=[WEATHER])

    assert timedelta(seconds=20) < harness.clock.now() - NOON < GATEWAY
    assert [message.get("method") for message in reply.messages] == ["notifications/subscriptions/acknowledged", None]
    assert harness.waiter.watching == 0


@requirement("B-SUB-2", "B-SUB-1", "B-SUB-6")
@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True},
        {"elicitationComplete": True, "com.example/x": [1]},
        {"taskIds": None, "resourceSubscriptions": None},
    ],
)
def test_unsupported_notifications_are_not_honoured(harness: Harness, ada: Client, wanted: Any) -> None:
    reply = listen(ada, **wanted)

    assert honoured(reply) == {}
    assert len(reply.messages) == 2


@requirement("B-TASK-27", "B-TASK-13", "B-SUB-2")
@pytest.mark.parametrize(
    "outcome",
    [
        Returned(result={"content": [{"type": "text", "text": "done"}]}),
        Returned(result={"content": [{"type": "text", "text": "why"}]}, is_error=True),
        Failed(code=1969, message="why", data={"a": None}),
    ],
)
def test_a_listener_is_sent_the_end_of_a_task_as_tasks_get_shows_it(
    harness: Harness, ada: Client, outcome: Any
) -> None:
    task_id, other = ada.start(), ada.start()
    harness.while_waiting(lambda: harness.finish(other, outcome), lambda: harness.finish(task_id, outcome))

    reply = listen(ada, taskIds=[task_id])

    assert notified_tasks(reply) == [shown(ada, task_id)]
    assert harness.waiter.pauses == 2


@requirement("B-TASK-27", "B-TASK-28")
def test_a_listener_is_sent_progress_as_a_state_of_the_task(harness: Harness, ada: Client) -> None:
    call = {"name": "ponder", "arguments": {"question": "?"}}
    created = ada.send_request("tools/call", call, meta={"progressToken": "t", LOG_LEVEL: "debug"}).message["result"]
    harness.while_waiting(lambda: harness.progress(created["taskId"], 3, "page 3"))

    reply = listen(ada, taskIds=[created["taskId"]])

    assert [(each["status"], each["statusMessage"]) for each in notified_tasks(reply)] == [("working", "page 3")]
    assert reply.notifications("notifications/progress") == reply.notifications("notifications/message") == []


@requirement("B-TASK-27")
def test_a_task_that_is_final_already_is_sent_at_once(harness: Harness, ada: Client) -> None:
    live, done, cancelled = (ada.start() for _ in range(3))
    harness.run(done)
    ada.result("tasks/cancel", taskId=cancelled)

    reply = listen(ada, taskIds=[live, cancelled, done])

    assert notified_tasks(reply) == [shown(ada, cancelled), shown(ada, done)]
    assert (honoured(reply), harness.waiter.pauses) == ({"taskIds": [live, cancelled, done]}, 0)


@requirement("B-TASK-27", "B-TASK-18")
def test_a_task_that_goes_away_meanwhile_has_no_updates(harness: Harness, ada: Client) -> None:
    task_id = ada.start("hike", steps=[])
    harness.while_waiting(lambda: harness.clock.advance(timedelta(days=2)))

    assert notified_tasks(listen(ada, taskIds=[task_id])) == []


@requirement("B-TASK-27", "B-TASK-11")
@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_another_callers_task_is_as_little_honoured_as_none(harness: Harness, ada: Client, stranger: Caller) -> None:
    task_id = ada.start()
    harness.run(task_id)
    other, nobody = Client(harness, stranger), Client(Harness(harness.server.features), stranger)

    foreign, missing = (listen(client, id=1, taskIds=[task_id]) for client in (other, nobody))

    assert (foreign.body, honoured(foreign)) == (missing.body, {"taskIds": []})


@requirement("B-TASK-27", "B-SUB-1")
def test_of_very_many_the_first_are_honoured(harness: Harness, ada: Client) -> None:
    tasks = [ada.start() for _ in range(20)]
    wanted = [*tasks, *(f"none-{number}" for number in range(5))]

    reply = listen(ada, taskIds=["none", *wanted], resourceSubscriptions=[f"shelf://{n}" for n in range(25)])

    assert honoured(reply) == {"taskIds": tasks[:19], "resourceSubscriptions": [f"shelf://{n}" for n in range(20)]}


@requirement("B-TASK-12", "B-ERR-6")
@pytest.mark.parametrize("task_ids", [[], ["nope"]])
def test_a_client_that_did_not_declare_tasks_is_sent_none(harness: Harness, plain: Client, task_ids: list[str]) -> None:
    before = harness.kept()

    reply = listen(plain, taskIds=task_ids)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32021, before)
    assert reply.error["data"] == {"requiredCapabilities": {"extensions": {TASKS: {}}}}


@requirement("B-RSC-3", "B-SUB-1", "B-SUB-2")
@pytest.mark.parametrize("caller", [BOB, None], ids=["a colleague", "oneself"])
def test_a_listener_is_notified_of_changes_where_it_listens(
    harness: Harness, plain: Client, caller: Caller | None
) -> None:
    harness.while_waiting(lambda: None, lambda: changed(harness, WEATHER, caller or plain.caller))

    reply = listen(plain, id=1, resourceSubscriptions=[FORECAST, WEATHER])

    assert honoured(reply) == {"resourceSubscriptions": [FORECAST, WEATHER]}
    assert reply.notifications("notifications/resources/updated") == [{"_meta": {SUBSCRIPTION: 1}, "uri": WEATHER}]
    assert harness.waiter.pauses == 2


@requirement("B-RSC-3", "B-SUB-2")
@pytest.mark.parametrize("uri", ["shelf://%C3%A9t%C3%A9", "shelf://été", "SHELF://%c3%a9t%c3%a9"])
def test_a_change_is_sent_in_the_spelling_that_the_client_listens_to(harness: Harness, ada: Client, uri: str) -> None:
    harness.while_waiting(lambda: ada.call("report", uri="shelf://été"))

    reply = listen(ada, resourceSubscriptions=[uri])

    assert honoured(reply) == {"resourceSubscriptions": [uri]}
    assert [each["uri"] for each in reply.notifications("notifications/resources/updated")] == [uri]


@requirement("B-SUB-2", "B-RSC-3")
def test_changes_before_elsewhere_or_for_others_are_not_reported(harness: Harness, ada: Client) -> None:
    changed(harness, WEATHER, ada.caller)
    harness.while_waiting(
        lambda: changed(harness, FORECAST, ada.caller),
        lambda: changed(harness, "note://été", ada.caller),
        lambda: changed(harness, WEATHER, EVE),
    )

    reply = listen(ada, resourceSubscriptions=[WEATHER])

    assert reply.notifications("notifications/resources/updated") == []


@requirement("B-RSC-3")
def test_a_task_reports_changes_of_resources_too(harness: Harness, ada: Client) -> None:
    @tool(tasks="always")
    def repaint(context: Context) -> None:
        """Change something."""
        context.resource_updated(WEATHER)

    harness.change(features=Features.of([repaint], [], prompts_and_resources.RESOURCES))
    task_id = ada.start("repaint")
    harness.while_waiting(lambda: harness.run(task_id))

    reply = listen(ada, resourceSubscriptions=[WEATHER])

    assert [each["uri"] for each in reply.notifications("notifications/resources/updated")] == [WEATHER]


@requirement("B-RSC-3", "B-SUB-1", "B-SUB-6")
@pytest.mark.parametrize("uri", ["note://été", "nope://x", "archive://2025/tax", "shelf://..", ""])
def test_where_changes_are_not_published_it_is_not_honoured(harness: Harness, ada: Client, uri: str) -> None:
    reply = listen(ada, resourceSubscriptions=[uri])

    assert (honoured(reply), harness.waiter.pauses) == ({"resourceSubscriptions": []}, 0)


@requirement("B-SUB-6", "B-RSC-3")
def test_nothing_is_advertised_that_cannot_be_listened_to(harness: Harness, ada: Client) -> None:
    harness.change(features=Features.of([], [], [prompts_and_resources.note]))

    reply = listen(ada, resourceSubscriptions=["note://été"], resourcesListChanged=True)

    assert honoured(reply) == {"resourceSubscriptions": []}
    assert ada.result("server/discover")["capabilities"]["resources"] == {"listChanged": False, "subscribe": False}


@requirement("B-SUB-1", "B-ERR-3")
@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({}, "notifications is missing"),
        ({"notifications": None}, "notifications is missing"),
        ({"notifications": []}, "notifications"),
        ({"notifications": {"taskIds": "x"}}, "notifications.taskIds"),
        ({"notifications": {"taskIds": [7]}}, "notifications.taskIds"),
        ({"notifications": {"taskIds": ["x" * 257]}}, "notifications.taskIds"),
        ({"notifications": {"resourceSubscriptions": WEATHER}}, "notifications.resourceSubscriptions"),
        ({"notifications": {"resourceSubscriptions": [None]}}, "notifications.resourceSubscriptions"),
    ],
)
def test_an_invalid_subscription_filter_is_rejected_by_name(
    harness: Harness, ada: Client, params: Any, complaint: str
) -> None:
    before = harness.kept()

    reply = ada.send_request("subscriptions/listen", params)

    assert (reply.status, reply.error["code"], harness.kept()) == (200, -32602, before)
    assert complaint in reply.error["message"]


@requirement("B-SUB-2", "B-BASE-7")
def test_nothing_is_kept_of_a_subscription(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    before = harness.kept()

    listen(ada, taskIds=[task_id], resourceSubscriptions=[WEATHER])

    assert harness.kept() == before
