"""Who may come in, what strangers see, and what a tool may do to AWS."""

import json
from datetime import timedelta
from urllib.parse import urlsplit

import pytest

from local.http_client import HttpClient
from local.stack import Stack
from mcp_tasks.testing.replies import Reply
from tests.protocol.rev_2025_11_25.over_http import Client, client

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1.0"}}


def test_without_a_token_the_response_says_where_to_get_one(stack: Stack) -> None:
    stranger = client(stack.url)
    refused = stranger.send_request("initialize", HELLO)
    _, _, named = refused.headers["www-authenticate"].partition('resource_metadata="')
    document = HttpClient(stack.url).get(urlsplit(named.removesuffix('"')).path)

    assert refused.status == 401
    assert document.status == 200
    assert json.loads(document.body)["resource"] == stack.url
    assert json.loads(document.body)["authorization_servers"] == [stack.issuer.issuer]


@pytest.mark.parametrize(
    "claims",
    [
        {"ttl": timedelta(minutes=-10)},
        {"aud": "https://elsewhere.invalid/mcp"},
        {"iss": "https://elsewhere.invalid"},
        {"sub": None},
    ],
    ids=["expired", "for another server", "by another issuer", "of nobody"],
)
def test_an_invalid_token_is_rejected(stack: Stack, claims: dict[str, object]) -> None:
    refused = client(stack.url, stack.token("acme", "ada", **claims)).send_request("initialize", HELLO)

    assert (refused.status, refused.message["error"]) == (401, {"code": -32600, "message": "Unauthorized"})
    assert refused.headers["www-authenticate"].startswith('Bearer error="invalid_token", resource_metadata="http')


@pytest.mark.parametrize("header", ["", "Basic YTpi", "Bearer", "Bearer a b"])
def test_a_request_without_a_token_is_told_of_no_invalid_one(stack: Stack, header: str) -> None:
    refused = client(stack.url).send_request("initialize", HELLO, authorization=header)

    assert refused.status == 401
    assert refused.headers["www-authenticate"].startswith('Bearer resource_metadata="http')


def test_a_token_of_another_issuer_is_rejected(stack: Stack) -> None:
    header, claims, _ = stack.token("acme", "ada").split(".")
    _, _, signature = stack.token("acme", "eve").split(".")

    assert client(stack.url, f"{header}.{claims}.{signature}").send_request("initialize", HELLO).status == 401


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://localhost:6274", 200), ("http://127.0.0.1:6274", 200), ("https://elsewhere.invalid", 403)],
)
def test_pages_of_this_machine_may_call_the_plain_stack_and_no_others(ada: Client, origin: str, status: int) -> None:
    assert ada.send_request("ping", origin=origin).status == status


@pytest.mark.usefixtures("no_errors_logged")
@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
@pytest.mark.parametrize(("tenant", "name"), [("globex", None), ("acme", "bob")], ids=["tenant", "colleague"])
def test_a_strangers_task_is_no_task(
    stack: Stack, ada: Client, subject: str, method: str, tenant: str, name: str | None
) -> None:
    task_id = ada.start("repeat", text="mine")
    stranger = client(stack.url, stack.token(tenant, name or subject))
    stranger.initialize()
    theirs, nobodys = (stranger.send_request(method, {"taskId": each}, id=7) for each in (task_id, "0" * len(task_id)))

    assert seen(theirs, task_id) == seen(nobodys, "0" * len(task_id))
    assert stranger.result("tasks/list")["tasks"] == []
    assert ada.get_task(task_id).status != "cancelled"


@pytest.mark.usefixtures("no_errors_logged")
def test_whoever_acts_for_the_caller_is_told_to_the_tool_and_kept_with_the_task(
    stack: Stack, ada: Client, subject: str
) -> None:
    agent = {"sub": "ägent", "act": {"sub": "planner"}}
    acted_for = client(stack.url, stack.token("acme", subject, act=agent))
    acted_for.initialize()
    task_id = acted_for.start("represent")

    # Ada's own token reads it: the task is hers.
    answer, _ = ada.outcome(task_id)
    assert json.loads(answer["result"]["content"][0]["text"]) == agent
    assert json.loads(acted_for.call("represent")["content"][0]["text"]) == agent


@pytest.mark.usefixtures("no_errors_logged")
def test_a_tool_may_do_what_its_role_says_and_nothing_else(stack: Stack, ada: Client) -> None:
    task_id = ada.start("trespass", table=stack.outputs["TableName"])
    answer, _ = ada.outcome(task_id)

    assert "AccessDenied" in answer["result"]["content"][0]["text"]
    assert "not authorized to perform: dynamodb:Scan" in answer["result"]["content"][0]["text"]


@pytest.mark.usefixtures("no_errors_logged")
def test_a_tool_cannot_listen_to_the_stream_of_all_tenants_tasks(stack: Stack, ada: Client) -> None:
    table = stack.client("dynamodb").describe_table(TableName=stack.outputs["TableName"])["Table"]
    answer, _ = ada.outcome(ada.start("eavesdrop", stream=table["LatestStreamArn"]))
    message = answer["result"]["content"][0]["text"]

    assert "AccessDenied" in message
    assert "not authorized to perform: dynamodb:DescribeStream" in message


def seen(reply: Reply, task_id: str) -> object:
    """Return all that a client can see, without the name of the task."""
    passing = {"date", "x-amzn-requestid", "x-amz-request-id"}
    headers = {name: value for name, value in reply.headers.items() if name not in passing}
    return reply.status, headers, reply.body.replace(task_id, "TASK")
