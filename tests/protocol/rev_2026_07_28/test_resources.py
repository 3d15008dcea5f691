"""Resources: listed, read, and not found."""

import base64
import json

import pytest

from mcp_tasks import Image, prompt
from mcp_tasks.features.listing import Features
from mcp_tasks.features.resources import resource
from tests.protocol.harness import Harness
from tests.protocol.prompts_and_resources import PICTURE
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client


@requirement("B-RSC-2")
def test_resources_and_templates_are_listed_apart(ada: Client) -> None:
    resources, templates = ada.list_all("resources/list"), ada.list_all("resources/templates/list")

    assert resources[0] == {
        "uri": "note://été",
        "name": "note",
        "description": "Describe the summer.",
        "title": "Summer",
        "mimeType": "text/plain",
    }
    assert templates[1] == {
        "uriTemplate": "shelf://{row}",
        "name": "shelf",
        "description": "Look at a shelf.",
        "mimeType": "text/plain",
    }
    assert [each["uri"] for each in resources] == [
        *("note://été", "picture://logo", "weather://now", "weather://tomorrow", "diary://today")
    ]


@requirement("B-RSC-2", "B-RT-1")
def test_what_is_read_is_text_or_base64(ada: Client) -> None:
    (note,) = ada.result("resources/read", uri="note://été")["contents"]
    (logo,) = ada.result("resources/read", uri="picture://logo")["contents"]
    (weather,) = ada.result("resources/read", uri="weather://now")["contents"]

    assert note == {"uri": "note://été", "mimeType": "text/plain", "text": "It was warm."}
    assert (logo["mimeType"], base64.b64decode(logo["blob"])) == ("image/png", PICTURE)
    assert (weather["mimeType"], json.loads(weather["text"])) == ("application/json", {"sky": "blue"})


@requirement("B-RSC-2")
@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("archive://2025/tax", "tax of 2025, for ada"),
        ("archive://2024/a%20b", "a b of 2024, for ada"),
        ("shelf://%C3%A9", "row é"),
        ("shelf://..a", "row ..a"),
        ("shelf://{row}", "row {row}"),
    ],
)
def test_a_template_is_read_at_each_of_its_addresses(ada: Client, uri: str, text: str) -> None:
    contents = ada.result("resources/read", uri=uri)["contents"]

    assert contents == [{"uri": uri, "mimeType": "text/plain", "text": text}]


@requirement("B-RSC-1", "B-RSC-2", "B-ERR-8")
@pytest.mark.parametrize(
    "uri",
    [
        "nope://x",
        "",
        "note",
        "note://été/",
        "archive://2025/lost",
        "archive://2025/",
        "archive://2025/a/b",
        "archive://2025/..",
        "archive://2025/.",
        "shelf://..",
        "shelf://%2e%2e",
        "shelf://a%2Fb",
        "shelf://a%5cb",
        "shelf://a%00b",
        "shelf://%ff",
        "shelf://a?b",
        "file:///etc/passwd",
    ],
)
def test_a_resource_that_is_none_is_rejected_with_its_address(harness: Harness, ada: Client, uri: str) -> None:
    before = harness.kept()

    error = ada.error("resources/read", uri=uri)

    assert (error["code"], error["data"], harness.kept()) == (-32602, {"uri": uri}, before)
    assert repr(uri) in error["message"]


@requirement("B-RSC-1")
def test_a_wrong_part_of_an_address_is_rejected_with_those_that_there_are(ada: Client) -> None:
    error = ada.error("resources/read", uri="archive://1999/tax")

    assert (error["code"], "2024" in error["message"]) == (-32602, True)


@requirement("B-RSC-1")
@pytest.mark.parametrize("uri", [None, 7, ["note://été"], "x" * 4_001])
def test_what_is_no_address_is_rejected_as_such(ada: Client, uri: object) -> None:
    error = ada.error("resources/read", uri=uri)

    assert (error["code"], "uri" in error["message"]) == (-32602, True)


@requirement("B-RSC-1")
@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("nope://x", "There is no resource 'nope://x'."),
        (
            "shelf://a%2Fb",
            "There is no resource 'shelf://a%2Fb'. Or its value of a variable is not accepted: one has no slash, "
            "backslash or NUL, and is not . or ..",
        ),
    ],
)
def test_a_value_that_no_variable_accepts_is_said_to_be_that(ada: Client, uri: str, words: str) -> None:
    assert ada.error("resources/read", uri=uri)["message"] == words


@requirement("B-RSC-1")
def test_a_resource_is_read_by_the_address_that_a_client_encoded(ada: Client) -> None:
    (contents,) = ada.result("resources/read", uri="note://%C3%A9t%C3%A9")["contents"]

    assert (contents["uri"], contents["text"]) == ("note://%C3%A9t%C3%A9", "It was warm.")


@requirement("B-RSC-1", "B-ERR-4")
def test_a_resource_that_crashes_is_an_internal_error(harness: Harness, ada: Client) -> None:
    @resource("broken://glass")
    def broken() -> str:
        """Break."""
        raise LookupError("shards")

    harness.change(features=Features.of([], [], [broken]))

    assert ada.error("resources/read", uri="broken://glass") == {"code": -32603, "message": "Internal error."}


@requirement("B-RSC-1", "B-PRM-1", "B-ERR-4")
def test_a_value_that_cannot_be_sent_is_named_to_the_client_and_in_the_log(
    harness: Harness, ada: Client, caplog: pytest.LogCaptureFixture
) -> None:
    @resource("album://cover")
    def cover() -> dict[str, object]:
        """Return a picture in data."""
        return {"image": Image(b"ascii")}

    @prompt()
    def number() -> int:
        """Return a number."""
        return 5

    harness.change(features=Features.of([], [number], [cover]))
    read, got = ada.error("resources/read", uri="album://cover"), ada.error("prompts/get", name="number")

    assert (read["code"], got["code"]) == (-32603, -32603)
    said = "the resource cover returned what cannot be sent: it['image'] is of type Image, which is sent beside data"
    assert said in read["message"]
    assert said in caplog.text
    said = "the prompt number returned what cannot be sent: it is no message of a prompt: it is of type int"
    assert said in got["message"]
    assert said in caplog.text


@requirement("B-RSC-2")
def test_an_address_of_its_own_goes_before_a_template_that_it_would_fit(harness: Harness, ada: Client) -> None:
    @resource("seat://{number}")
    def seat(number: str) -> str:
        """Be one of many."""
        return f"seat {number}"

    @resource("seat://1")
    def throne() -> str:
        """Be the only one."""
        return "throne"

    harness.change(features=Features.of([], [], [seat, throne]))

    texts = [ada.result("resources/read", uri=f"seat://{number}")["contents"][0]["text"] for number in (1, 2)]

    assert texts == ["throne", "seat 2"]


@requirement("B-RSC-1")
def test_an_empty_resource_has_contents_all_the_same(harness: Harness, ada: Client) -> None:
    @resource("empty://box")
    def box() -> str:
        """Hold nothing."""
        return ""

    harness.change(features=Features.of([], [], [box]))

    assert ada.result("resources/read", uri="empty://box")["contents"] == [{"uri": "empty://box", "text": ""}]
