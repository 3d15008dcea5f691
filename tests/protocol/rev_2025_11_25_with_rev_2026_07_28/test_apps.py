"""The extension for views (MCP Apps): a host that declares it is shown the console, and nobody else is told of it."""

from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import TASK_TOOLS
from mcp_tasks.page import console
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.apps import CONSOLE, MIME_TYPE, UI
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client

SHOWS: dict[str, Any] = {"extensions": {UI: {"mimeTypes": [MIME_TYPE]}}}
TASKS = {"tasks": {}, "extensions": {**SHOWS["extensions"], "io.modelcontextprotocol/tasks": {}}}

in_both = pytest.mark.parametrize("revision", REVISIONS)


def host(revision: str, harness: Harness, capabilities: dict[str, Any] = SHOWS, caller: Caller = ADA) -> Either:
    """Return a client with these capabilities."""
    if revision == "2026-07-28":
        return New(harness, caller, capabilities)
    old = Old(harness, caller)
    old.initialize(capabilities)
    return old


def views(of: Either) -> dict[str, Any]:
    """Return the view of each listed tool that has one."""
    listed = of.result("tools/list")["tools"]
    return {tool["name"]: tool["_meta"]["ui"] for tool in listed if "ui" in tool.get("_meta", {})}


@requirement("A-RES-2", "B-TOOL-1")
@in_both
@pytest.mark.parametrize("capabilities", [SHOWS, TASKS], ids=["without tasks", "with tasks"])
def test_a_host_is_told_which_tool_has_the_view_and_reads_it(
    harness: Harness, revision: str, capabilities: dict[str, Any]
) -> None:
    harness.change(page_size=100)
    shows = host(revision, harness, capabilities)
    (read,) = shows.result("resources/read", uri=CONSOLE)["contents"]

    assert views(shows) == {"task_list": {"resourceUri": CONSOLE}}
    assert set(TASK_TOOLS) <= {tool["name"] for tool in shows.result("tools/list")["tools"]}
    assert (read["uri"], read["mimeType"], read["text"]) == (CONSOLE, MIME_TYPE, console())
    assert read["_meta"]["ui"]["csp"] == {}


@requirement("A-LIFE-9", "B-META-5")
@in_both
@pytest.mark.parametrize("declared", [{}, {"extensions": {}}, {"extensions": {UI: {"mimeTypes": ["text/other"]}}}])
def test_who_shows_no_views_is_told_of_none(harness: Harness, revision: str, declared: dict[str, Any]) -> None:
    harness.change(page_size=100)
    plain = host(revision, harness, declared)

    assert views(plain) == {}
    assert "error" in plain.send_request("resources/read", {"uri": CONSOLE}).response


@requirement("A-LIFE-9", "B-META-5")
@in_both
def test_a_server_without_resources_has_this_one_for_hosts_alone(harness: Harness, revision: str) -> None:
    harness.change(features=Features.of(list(harness.server.features.tools)))
    (read,) = host(revision, harness).result("resources/read", uri=CONSOLE)["contents"]
    refused = client(revision, harness, ADA).send_request("resources/read", {"uri": CONSOLE})

    assert read["mimeType"] == MIME_TYPE
    assert refused.response["error"]["code"] == -32601


@requirement("A-RES-1", "A-LIFE-10", "B-DISC-2", "B-DISC-5")
def test_the_capabilities_name_it_to_hosts_alone_and_only_there_as_private() -> None:
    harness = Harness()
    harness.change(features=Features.of(list(harness.server.features.tools)))
    told = [New(harness, ADA, declared).result("server/discover") for declared in (SHOWS, {})]
    opened = [Old(harness, ADA).initialize(declared) for declared in (SHOWS, {})]

    assert ["resources" in each["capabilities"] for each in told] == [True, False]
    assert [each["cacheScope"] for each in told] == ["private", "public"]
    assert ["resources" in each["capabilities"] for each in opened] == [True, False]
