"""Which results a client may cache, for how long, and for whom."""

from typing import Any

import pytest

from tests.kit import BOB
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client

MINUTE = 60_000
KEPT: list[tuple[str, dict[str, Any], int, str]] = [
    ("server/discover", {}, 60 * MINUTE, "public"),
    ("tools/list", {}, 5 * MINUTE, "private"),
    ("prompts/list", {}, 5 * MINUTE, "private"),
    ("resources/list", {}, 5 * MINUTE, "private"),
    ("resources/templates/list", {}, 5 * MINUTE, "private"),
    ("resources/read", {"uri": "note://été"}, MINUTE, "private"),
    ("resources/read", {"uri": "weather://now"}, 0, "private"),
    ("resources/read", {"uri": "archive://2025/tax"}, 0, "private"),
]


@requirement("B-CACHE-1", "B-CACHE-4")
@pytest.mark.parametrize(("method", "params", "fresh", "scope"), KEPT)
def test_what_can_be_kept_says_how_long_and_by_whom(
    ada: Client, method: str, params: dict[str, Any], fresh: int, scope: str
) -> None:
    result = ada.result(method, **params)

    assert (result["ttlMs"], type(result["ttlMs"]), result["cacheScope"]) == (fresh, int, scope)


@requirement("B-CACHE-1", "B-RT-1")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "greet", "arguments": {"name": "Zoë"}}),
        ("prompts/get", {"name": "serenade"}),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "greeting"}, "argument": {"name": "name", "value": ""}},
        ),
        ("subscriptions/listen", {"notifications": {}}),
    ],
)
def test_other_results_have_no_cache_fields(ada: Client, method: str, params: dict[str, Any]) -> None:
    result = ada.send_request(method, params).response["result"]

    assert result["resultType"] == "complete"
    assert not {"ttlMs", "cacheScope"} & result.keys()


@requirement("B-CACHE-2")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "introduce"}),
        ("prompts/get", {"name": "toast", "arguments": {"occasion": "spring"}}),
        ("resources/read", {"uri": "diary://today"}),
    ],
)
def test_an_input_request_cannot_be_kept(ada: Client, method: str, params: dict[str, Any]) -> None:
    result = ada.result(method, **params)

    assert result.keys() == {"resultType", "inputRequests", "requestState"}
    assert result["resultType"] == "input_required"


@requirement("B-CACHE-3", "B-PAG-1")
@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/list", "resources/templates/list"])
def test_all_pages_are_for_the_same(harness: Harness, ada: Client, method: str) -> None:
    harness.change(page_size=1)
    pages = [ada.result(method)]
    while "nextCursor" in pages[-1]:
        pages.append(ada.result(method, cursor=pages[-1]["nextCursor"]))

    assert len(pages) > 1
    assert {(page["ttlMs"], page["cacheScope"]) for page in pages} == {(300_000, "private")}


@requirement("B-CACHE-4")
def test_what_differs_by_caller_is_private(harness: Harness, ada: Client) -> None:
    mine, his = (client.result("resources/read", uri="archive://2025/tax") for client in (ada, Client(harness, BOB)))

    assert mine["contents"] != his["contents"]
    assert {mine["cacheScope"], his["cacheScope"]} == {"private"}
