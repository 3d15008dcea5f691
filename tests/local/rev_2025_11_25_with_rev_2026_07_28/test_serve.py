"""`make serve`: the same server in one process, for clients on this machine only."""

import json
import re
import resource
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

import pytest

from local.gateway import Gateway
from local.http_client import HttpClient
from local.http_server import listen, running
from local.issuer import Issuer
from local.serve import HERE, memory_server
from mcp_tasks.features.listing import Features
from mcp_tasks.page import console, console_headers
from mcp_tasks.wire.http import HttpRequest
from tests.local.raw import Line
from tests.protocol.rev_2025_11_25.over_http import client as old_client
from tests.protocol.rev_2026_07_28.client import routing_headers
from tests.protocol.rev_2026_07_28.over_http import client as new_client
from tests.serving import EXAMPLES, serving
from tests.timeout import until

START_CPU_SECONDS = 2
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1.0"}}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(*EXAMPLES) as printed:
        yield printed["url"]


def test_it_starts_within_two_seconds() -> None:
    before = _spent_by_children()
    with serving(*EXAMPLES) as printed:
        old_client(printed["url"]).initialize()

    assert printed["complaints"] == ""

    assert _spent_by_children() - before < START_CPU_SECONDS


def test_it_says_whether_callers_need_a_token() -> None:
    with serving(*EXAMPLES) as open_to_all:
        assert open_to_all["callers"].startswith("one: whoever is at this machine, and nobody else")
        assert "token" not in open_to_all
    with serving(*EXAMPLES, "--auth") as asking:
        assert asking["token"]
        assert "callers" not in asking


def test_anybody_at_this_machine_may_call_a_tool(url: str) -> None:
    somebody = old_client(url)
    somebody.initialize()
    task_id = somebody.start("remind_me", after_seconds=1, about="tea")
    answer, _ = somebody.outcome(task_id)

    assert somebody.call("greet", name="Ada")["content"][0]["text"] == "Hello, Ada!"
    assert answer["result"]["content"][0]["text"] == "Reminder after 1 s: tea"


def test_a_client_without_initialize_may_call_a_tool(url: str) -> None:
    somebody = new_client(url)
    wanted = {"taskIds": [somebody.start("remind_me", after_seconds=1, about="tea")]}
    (notified,) = somebody.send_request("subscriptions/listen", {"notifications": wanted}).notifications(
        "notifications/tasks"
    )

    assert somebody.call("greet", name="Zoë")["content"][0]["text"] == "Hello, Zoë!"
    assert notified["result"]["content"][0]["text"] == "Reminder after 1 s: tea"


def test_it_presents_itself_as_a_stage_does() -> None:
    server = memory_server(Features.of([]), {"server_name": "mine", "server_title": "Mine", "instructions": "Call it."})

    assert (server.name, server.about, server.instructions) == ("mine", {"title": "Mine"}, "Call it.")


def test_other_tools_are_served_by_the_name_of_their_module() -> None:
    with serving("--tools", "tests.protocol.sample_tools") as printed:
        somebody = old_client(printed["url"])
        somebody.initialize()

        assert somebody.call("add", numbers=[1, 2])["structuredContent"] == {"total": 3}


def test_a_task_that_asks_waits_for_the_answer() -> None:
    with serving("--tools", "tests.harness.sample_tools") as printed:
        somebody = new_client(printed["url"])
        task_id = somebody.start("curious", batches=[["a", "b"]])
        until(lambda: somebody.tasks_get(task_id)["status"] == "input_required")
        for key in ("a", "b"):
            answer = {key: {"action": "accept", "content": {"said": f"yes to {key}"}}}
            somebody.result("tasks/update", taskId=task_id, inputResponses=answer)
        until(lambda: somebody.tasks_get(task_id)["status"] == "completed")

        assert somebody.tasks_get(task_id)["result"]["content"][0]["text"] == "noted, yes to a, yes to b"


@pytest.mark.parametrize(
    "host",
    [
        *("attacker.example", "attacker.example:8000", "", "127.0.0.1.attacker.example:80"),
        *("attacker.example:1@localhost:1", "localhost:1@attacker.example", "localhost:.attacker.example"),
    ],
)
def test_a_page_that_made_its_name_lead_here_is_rejected(url: str, host: str) -> None:
    assert old_client(url).send_request("initialize", HELLO, host=host).status == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "LocalHost:8000"])
def test_this_machine_may_be_named_as_clients_do_on_port_80(url: str, host: str) -> None:
    assert old_client(url).send_request("initialize", HELLO, host=host).status == 200


def test_there_is_nothing_beside_the_endpoint(url: str) -> None:
    for path in ("/mcp//", "/mcpx", "/index.html", "/.well-known/oauth-protected-resource"):
        assert HttpClient(url).get(path).status == 404


def test_the_endpoint_may_be_named_with_a_slash_at_its_end(url: str) -> None:
    assert old_client(f"{url}/").initialize()["protocolVersion"] == "2025-11-25"


def test_the_console_is_at_the_root_without_a_token() -> None:
    with serving(*EXAMPLES) as open_to_all, serving(*EXAMPLES, "--auth") as asking:
        for printed in (open_to_all, asking):
            found = HttpClient(printed["page"]).get("/")

            assert (found.status, found.body) == (200, console())
            assert found.headers.items() >= console_headers().items()
            assert HttpClient(printed["page"]).send(HttpRequest(method="POST")).status == 405


def test_whoever_is_at_this_machine_has_every_scope_and_a_list_of_tasks() -> None:
    server = memory_server(Features.of_module("tests.harness.sample_tools"), {"required_scopes": {"read": ["rare"]}})
    gateway = Gateway(server=server, admit=lambda head: HERE)
    with listen() as listening, running(gateway, listening):
        somebody = new_client(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp")
        task_id = somebody.start("curious", batches=[["a"]])
        (listed,) = somebody.call("task_list")["structuredContent"]["tasks"]

    assert (listed["task_id"], listed["tool"]) == (task_id, "curious")


@pytest.fixture(scope="module")
def guarded() -> Iterator[Mapping[str, str]]:
    with serving("--auth", *EXAMPLES) as printed:
        yield printed


def test_with_auth_a_token_is_needed(guarded: Mapping[str, str]) -> None:
    url, own = guarded["url"], Issuer().token("globex", "bob")
    for token in (guarded["token"], own):
        friend = old_client(url, token)
        friend.initialize()

        assert friend.call("greet", name="Bob")["content"][0]["text"] == "Hello, Bob!"
    for refused in ("", f"Basic {own}", own, "Bearer", f"Bearer {own}, Bearer {own}", f"Bearer {own[:-9]}"):
        assert old_client(url).send_request("initialize", HELLO, authorization=refused).status == 401
    eve = Issuer().token("acme", "eve", aud="https://elsewhere.invalid")
    assert old_client(url, eve).send_request("initialize", HELLO).status == 401


def test_a_request_without_a_token_is_answered_with_where_to_get_one(guarded: Mapping[str, str]) -> None:
    nobody = old_client(guarded["url"])
    refused = nobody.send_request("initialize", HELLO)
    challenge = re.fullmatch(
        r'Bearer resource_metadata="(http://127\.0\.0\.1:\d+(/\S+))"', refused.headers["www-authenticate"]
    )

    assert (refused.status, challenge is not None) == (401, True)
    assert challenge
    http = HttpClient(guarded["url"])
    described = [json.loads(http.get(path).body) for path in (challenge[2], challenge[2].removesuffix("/mcp"))]
    assert described[0] == described[1]
    assert described[0]["resource"] == guarded["url"]
    assert described[0]["authorization_servers"] == [Issuer.issuer]


@pytest.mark.parametrize(
    ("header", "told"),
    [
        *((header, False) for header in ("", "Basic YTpi", "Bearer", "Bearer a b", "Bearer a.b.c, Bearer a.b.c")),
        *((header, True) for header in ("Bearer a.b.c", "bearer  link~a", "Bearer x=")),
    ],
)
def test_only_a_request_with_a_token_is_told_that_it_is_invalid(
    guarded: Mapping[str, str], header: str, told: bool
) -> None:
    refused = old_client(guarded["url"]).send_request("initialize", HELLO, authorization=header)

    begin = 'Bearer error="invalid_token", ' if told else "Bearer "
    assert refused.status == 401
    assert refused.headers["www-authenticate"].startswith(f'{begin}resource_metadata="http://127.0.0.1:')


def test_who_has_no_token_is_rejected_before_the_body_comes(guarded: Mapping[str, str]) -> None:
    for length in (300 * 1024 * 1024, 10):
        with Line(urlsplit(guarded["url"]).port or 0) as line:
            line.send("POST /mcp HTTP/1.1", "Host: localhost:1", f"Content-Length: {length}")
            status, body = line.answer()

        assert (status, json.loads(body)["error"]) == (401, {"code": -32600, "message": "Unauthorized"})


def test_a_preflight_has_no_token_and_reaches_the_server(guarded: Mapping[str, str]) -> None:
    with Line(urlsplit(guarded["url"]).port or 0) as line:
        line.send("OPTIONS /mcp HTTP/1.1", "Host: localhost:1", "Origin: http://elsewhere.example")

        assert line.answer()[0] == 403


def test_ctrl_c_does_not_wait_for_those_who_wait() -> None:
    with serving(*EXAMPLES) as printed:
        line = Line(urlsplit(printed["url"]).port or 0)
        somebody = new_client(printed["url"])
        task_id = somebody.start("remind_me", after_seconds=600, about="tea")
        message = somebody.build_request("subscriptions/listen", {"notifications": {"taskIds": [task_id]}})
        headers = {"host": "localhost:1", "content-type": "application/json"} | routing_headers(message)
        body = json.dumps(message).encode()
        fields = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        line.send("POST /mcp HTTP/1.1", *fields, f"content-length: {len(body)}", body=body)
        # By the time of this answer, the server has read what came before.
        assert somebody.tasks_get(task_id)["status"] == "working"

    with line:
        assert line.answer()[0] == 503


def _spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
