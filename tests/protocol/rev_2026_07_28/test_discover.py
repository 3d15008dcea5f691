"""`server/discover`: the server's versions, capabilities and name."""

from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from tests.kit import BOB, EVE
from tests.protocol import prompts_and_resources
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import SERVER, TASKS, Client


@requirement("B-DISC-1", "B-DISC-2", "B-DISC-3", "B-VER-3", "B-VER-5", "B-TASK-1", "B-TOOL-1", "B-LOG-2", "B-CPL-1")
def test_the_server_says_what_it_is_and_can(ada: Client) -> None:
    found = dict(ada.result("server/discover"))

    assert found.pop("supportedVersions")[0] == "2026-07-28"
    assert found == {
        "resultType": "complete",
        "capabilities": {
            "tools": {"listChanged": False},
            "logging": {},
            "prompts": {"listChanged": False},
            "resources": {"listChanged": False, "subscribe": True},
            "completions": {},
            "extensions": {TASKS: {}},
        },
        "instructions": "Long tools run as tasks.",
        "ttlMs": 3_600_000,
        "cacheScope": "public",
    }


@requirement("B-META-6")
def test_the_server_presents_itself_once_and_is_named_in_every_other_answer(harness: Harness, ada: Client) -> None:
    icons = [{"src": "https://example.com/icon.png", "sizes": ["48x48"]}]
    about = {"title": "Tests", "description": "A server.", "websiteUrl": "https://example.com", "icons": icons}
    harness.change(about=about)
    cached = {
        each: ada.send_request(each).response["result"]["_meta"][SERVER] for each in ("server/discover", "tools/list")
    }

    named = {"name": "test-server", "version": "1.2.3"}
    assert cached == {"server/discover": named | about, "tools/list": named}


@requirement("B-DISC-2", "B-RSC-3", "B-SUB-6")
@pytest.mark.parametrize(
    ("features", "more"),
    [
        (Features.of([]), {}),
        (Features.of([], [prompts_and_resources.serenade]), {"prompts": {"listChanged": False}, "completions": {}}),
        (
            Features.of([], [], [prompts_and_resources.note]),
            {"resources": {"listChanged": False, "subscribe": False}, "completions": {}},
        ),
    ],
)
def test_only_what_there_is_is_declared(
    harness: Harness, ada: Client, features: Features, more: dict[str, Any]
) -> None:
    harness.change(features=features, instructions=None)

    found = ada.result("server/discover")

    always = {"tools": {"listChanged": False}, "logging": {}, "extensions": {TASKS: {}}}
    assert found["capabilities"] == always | more
    assert "instructions" not in found


@requirement("B-HTTP-14", "B-CPL-1")
def test_methods_of_what_is_not_declared_are_unknown(harness: Harness, ada: Client) -> None:
    harness.change(features=Features.of([]))
    methods = [
        *("prompts/list", "prompts/get"),
        *("resources/list", "resources/templates/list", "resources/read"),
        "completion/complete",
    ]

    replies = [ada.send_request(method, {"name": "greeting", "uri": "note://été"}) for method in methods]

    assert [(reply.status, reply.error["code"]) for reply in replies] == [(404, -32601)] * 6
    assert ada.list_all("tools/list") == []


@requirement("B-DISC-1")
def test_nothing_but_the_envelope_is_validated(ada: Client) -> None:
    assert ada.result("server/discover", cursor=7, versions=["1999-01-01"]) == ada.result("server/discover")


@requirement("B-DISC-5", "B-CACHE-4")
@pytest.mark.parametrize("stranger", [BOB, EVE, ANONYMOUS])
def test_the_result_is_the_same_for_all_callers_since_it_may_be_shared(
    harness: Harness, ada: Client, stranger: Caller
) -> None:
    ada.start()
    others = [Client(harness, stranger), Client(harness, stranger, capabilities={})]

    replies = [client.send_request("server/discover", id=1).body for client in (ada, *others)]

    assert len(set(replies)) == 1
