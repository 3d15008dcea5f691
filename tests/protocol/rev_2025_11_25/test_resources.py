"""Resources: declared, listed, read, and not found."""

import base64
import json
from typing import Any

import pytest

from mcp_tasks import Image, prompt
from mcp_tasks.features.listing import Features
from mcp_tasks.features.resources import resource
from tests.kit import BOB
from tests.protocol import prompts_and_resources
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of(prompts_and_resources.TOOLS, [], prompts_and_resources.RESOURCES))


@requirement("A-RES-1", "A-LIFE-10")
@pytest.mark.parametrize(
    ("version", "more"), [("2025-11-25", {"subscribe": True}), ("2025-06-18", {}), ("2025-03-26", {})]
)
def test_resources_are_declared_with_the_notifications_about_them(harness: Harness, version: str, more: object) -> None:
    assert isinstance(more, dict)
    capabilities = Client(harness, version=version).initialize()["capabilities"]

    assert capabilities["resources"] == {"listChanged": False, **more}
    assert "prompts" not in capabilities


@requirement("A-RES-1", "A-BASE-9")
@pytest.mark.parametrize("method", ["resources/list", "resources/templates/list", "resources/read"])
def test_where_there_are_none_their_methods_are_unknown(harness: Harness, ada: Client, method: str) -> None:
    harness.change(features=Features.of([]))

    assert ada.error(method, uri="note://été")["code"] == -32601
    assert "resources" not in Client(harness).initialize()["capabilities"]


@requirement("A-RES-2", "A-PAG-1")
def test_resources_and_templates_are_listed_apart_and_in_pages(ada: Client) -> None:
    first = ada.result("resources/list")
    second = ada.result("resources/list", cursor=first["nextCursor"])
    templates = ada.result("resources/templates/list")

    assert first["resources"][0] == {
        "uri": "note://été",
        "name": "note",
        "description": "Describe the summer.",
        "title": "Summer",
        "mimeType": "text/plain",
    }
    assert [each["name"] for each in second["resources"]] == ["forecast"]
    assert [each["uriTemplate"] for each in templates["resourceTemplates"]] == [
        "archive://{year}/{name}",
        "shelf://{row}",
    ]
    assert "nextCursor" not in second


@requirement("A-RES-2", "A-RES-5")
def test_what_is_read_is_text_or_base64(ada: Client) -> None:
    (note,) = ada.result("resources/read", uri="note://été")["contents"]
    (logo,) = ada.result("resources/read", uri="picture://logo")["contents"]
    (weather,) = ada.result("resources/read", uri="weather://now")["contents"]

    assert note == {"uri": "note://été", "mimeType": "text/plain", "text": "It was warm."}
    assert (logo["mimeType"], base64.b64decode(logo["blob"])) == ("image/png", prompts_and_resources.PICTURE)
    assert (weather["mimeType"], json.loads(weather["text"])) == ("application/json", {"sky": "blue"})


@requirement("A-RES-2", "A-RES-5")
def test_a_resource_knows_who_reads_it(harness: Harness, ada: Client) -> None:
    bob = Client(harness, BOB)
    bob.initialize()

    texts = [each.result("resources/read", uri="archive://2025/tax")["contents"][0]["text"] for each in (ada, bob)]

    assert texts == ["tax of 2025, for ada", "tax of 2025, for bob"]


@requirement("A-RES-3", "A-RES-5", "A-HTTP-10")
@pytest.mark.parametrize(
    "uri",
    [
        "nope://x",
        "",
        "archive://2025/lost",
        "archive://2025/a/b",
        "archive://2025/..",
        "shelf://%2e%2e",
        "shelf://a%2Fb",
        "shelf://a%00b",
        "shelf://%ff",
        "file:///etc/passwd",
    ],
)
def test_an_unknown_resource_is_rejected_with_its_address(harness: Harness, ada: Client, uri: str) -> None:
    before = harness.kept()

    error = ada.error("resources/read", uri=uri)

    assert (error["code"], error["data"], harness.kept()) == (-32002, {"uri": uri}, before)


@requirement("A-RES-3", "A-RES-5")
@pytest.mark.parametrize("uri", [None, 7, ["note://été"], "x" * 4_001, "archive://1999/tax"])
def test_what_is_no_address_is_rejected_as_such(ada: Client, uri: Any) -> None:
    assert ada.error("resources/read", uri=uri)["code"] == -32602


@requirement("A-RES-3")
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


@requirement("A-RES-3")
def test_a_resource_is_read_by_the_address_that_a_client_encoded(ada: Client) -> None:
    (contents,) = ada.result("resources/read", uri="note://%C3%A9t%C3%A9")["contents"]

    assert (contents["uri"], contents["text"]) == ("note://%C3%A9t%C3%A9", "It was warm.")


@requirement("A-RES-3")
def test_a_resource_that_crashes_is_an_internal_error(harness: Harness, ada: Client) -> None:
    @resource("broken://glass")
    def broken() -> str:
        """Break."""
        raise LookupError("shards")

    harness.change(features=Features.of([], [], [broken]))

    assert ada.error("resources/read", uri="broken://glass") == {"code": -32603, "message": "Internal error."}


@requirement("A-RES-3")
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


@requirement("A-TOOL-10", "A-RES-5")
def test_contents_of_tools_may_be_of_any_kind(ada: Client) -> None:
    said, picture, sound, note, logo, link = ada.call("exhibit")["content"]

    assert said == {"type": "text", "text": "Look and listen:"}
    assert [base64.b64decode(each["data"]) for each in (picture, sound)] == [
        prompts_and_resources.PICTURE,
        prompts_and_resources.SOUND,
    ]
    assert [each["mimeType"] for each in (picture, sound)] == ["image/png", "audio/wav"]
    assert note["resource"]["text"] == "It was warm."
    assert base64.b64decode(logo["resource"]["blob"]) == prompts_and_resources.PICTURE
    assert (link["type"], link["uri"]) == ("resource_link", "archive://2025/tax")
