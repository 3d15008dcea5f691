"""What a client sent is quoted where that helps, and never at length."""

from typing import Any

import pytest

from mcp_tasks.testing.replies import Reply
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import New, Old
from tests.protocol.rev_2026_07_28.client import VERSION

LONG = "x" * 5_000


def check_rejection(reply: Reply) -> None:
    assert reply.status >= 400 or "error" in reply.message
    assert len(reply.body) < 1_200


@requirement("A-HTTP-7", "A-HTTP-12")
@pytest.mark.parametrize("name", ["origin", "mcp_protocol_version", "mcp_session_id", "content_type", "accept"])
def test_no_header_of_the_earlier_revision_is_quoted_at_length(old: Old, name: str) -> None:
    headers: Any = {name: LONG}

    check_rejection(old.send_request("ping", **headers))


@requirement("B-HDR-5", "B-VER-6")
@pytest.mark.parametrize("name", ["origin", "mcp_protocol_version", "mcp_method", "mcp_name", "mcp_param_region"])
def test_no_header_of_the_later_revision_is_quoted_at_length(new: New, name: str) -> None:
    call = {"name": "send", "arguments": {"region": "eu"}}

    check_rejection(new.send_request("tools/call", call, **{"mcp_param_region": "eu", name: LONG}))


@requirement("B-VER-6", "B-HDR-5")
@pytest.mark.parametrize("params", [{"uri": "x:" + LONG[:3_000]}, {"uri": "shelf://" + LONG}])
def test_no_uri_is_quoted_at_length(old: Old, new: New, params: dict[str, Any]) -> None:
    for each in (old, new):
        assert len(each.error("resources/read", **params)["message"]) < 400


@requirement("B-VER-6")
def test_no_version_is_quoted_at_length(harness: Harness, new: New) -> None:
    reply = new.send_request("tools/list", meta={VERSION: LONG}, mcp_protocol_version=LONG)

    assert (reply.error["code"], len(reply.body) < 1_200) == (-32022, True)
    assert reply.error["data"]["requested"].startswith("xxx")


@requirement("B-MRTR-2")
def test_no_key_of_an_input_response_is_quoted_at_length(new: New) -> None:
    params = {"name": "introduce", "arguments": {}, "inputResponses": {LONG: 7}}

    check_rejection(new.send_request("tools/call", params))
