"""Arguments that are also sent as headers: valid annotations, and the comparison with the body."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from mcp_tasks import Header, tool
from mcp_tasks.features.listing import Features
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client, as_header
from tests.protocol.schema_tools import NESTED, ship


def sent(ada: Client, arguments: Any, tool: str = "ship", **headers: str | None) -> int:
    """Call a tool and return the code of the error, or 0 if there is none."""
    reply = ada.send_request("tools/call", {"name": tool, "arguments": arguments}, **headers)
    assert reply.status == (400 if "error" in reply.message else 200)
    return int(reply.message.get("error", {"code": 0})["code"])


def annotations(schema: Any) -> dict[str, list[str]]:
    """Return the path to each annotated argument, as a client finds it in the list."""
    found = {}
    for name, inner in schema.get("properties", {}).items():
        if "x-mcp-header" in inner:
            found[inner["x-mcp-header"]] = [name]
        found |= {header: [name, *path] for header, path in annotations(inner).items()}
    return found


@requirement("B-HDR-9")
def test_an_annotated_argument_is_listed_with_its_annotation(ada: Client) -> None:
    shown = {each["name"]: each["inputSchema"] for each in ada.list_all("tools/list")}

    assert shown["send"]["properties"]["region"] == {"type": "string", "x-mcp-header": "Region"}
    assert annotations(shown["ship"]) == {"Weight": ["weight"], "Express": ["express"], "City": ["to", "city"]}


@requirement("B-HDR-10", "B-HDR-9")
@pytest.mark.parametrize(
    "arguments",
    [
        {"weight": 7, "express": True, "to": {"city": "Köln"}},
        {"weight": 0, "express": False, "to": {"city": ""}},
        {"weight": -(2**53) + 1, "to": {}},
        {},
    ],
)
def test_a_client_that_goes_by_the_list_is_served(ada: Client, arguments: Any) -> None:
    schema = next(each["inputSchema"] for each in ada.list_all("tools/list") if each["name"] == "ship")
    headers: dict[str, Any] = {}
    for name, path in annotations(schema).items():
        value: Any = arguments
        for step in path:
            value = value.get(step, {})
        if value != {}:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            headers[f"Mcp-Param-{name}".lower()] = as_header(text)

    assert sent(ada, arguments, **headers) == 0


@requirement("B-HDR-10")
@pytest.mark.parametrize(
    ("weight", "header", "code"),
    [
        (42, "42", 0),
        (42, "42.0", 0),
        (42.0, "42", 0),
        (42, " 42 ", 0),
        (42, "042", 0),
        (-7, "-7", 0),
        (0, "-0", 0),
        (2**53 - 1, str(2**53 - 1), 0),
        (2**53, str(2**53 - 1), -32020),
        (42, "43", -32020),
        (42, "-42", -32020),
        (42, "42.5", -32020),
        (42, "4_2", -32020),
        (42, "+42", -32020),
        (42, "0x2a", -32020),
        (42, "4.2e1", -32020),
        (42, "forty-two", -32020),
        (42, "42, 42", -32020),
        (42, as_header("٤٢"), -32020),
        (42, "true", -32020),
        (42, "", -32020),
        (42, None, -32020),
        (42, "9" * 5_000, -32020),
        (1, "true", -32020),
        (0, None, -32020),
    ],
)
def test_integers_are_compared_by_their_value(ada: Client, weight: Any, header: str | None, code: int) -> None:
    assert sent(ada, {"weight": weight}, mcp_param_weight=header) == code


@requirement("B-HDR-10")
@pytest.mark.parametrize(
    ("express", "header", "code"),
    [
        (True, "true", 0),
        (False, "false", 0),
        (True, "True", -32020),
        (True, "1", -32020),
        (True, "false", -32020),
        (False, "0", -32020),
        (False, "", -32020),
        (False, None, -32020),
    ],
)
def test_booleans_are_in_lower_case(ada: Client, express: bool, header: str | None, code: int) -> None:
    assert sent(ada, {"express": express}, mcp_param_express=header) == code


@requirement("B-HDR-10", "B-HDR-8")
@pytest.mark.parametrize(
    ("region", "header", "code"),
    [
        ("eu-west-1", "eu-west-1", 0),
        ("eu-west-1", "  eu-west-1", 0),
        ("eu-west-1", as_header("eu west"), -32020),
        ("eu-west-1", "EU-WEST-1", -32020),
        ("eu-west-1", None, -32020),
        ("", "", 0),
        ("", None, -32020),
        ("two words", "two words", 0),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?=", 0),
        (" padded ", "=?base64?IHBhZGRlZCA=?=", 0),
        (" padded ", " padded ", -32020),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?=", 0),
        ("line1\nline2", "line1\nline2", -32020),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", 0),
        ("=?base64?literal?=", "=?base64?literal?=", -32020),
        ("literal", "=?base64?literal?=", -32020),
        ("Köln", "Köln", -32020),
        ("42", "42.0", -32020),
        ("true", "true", 0),
    ],
)
def test_texts_are_compared_letter_by_letter_once_they_are_decoded(
    ada: Client, region: str, header: str | None, code: int
) -> None:
    assert sent(ada, {"region": region}, "send", mcp_param_region=header) == code


@requirement("B-HDR-10")
@pytest.mark.parametrize("arguments", [{}, {"to": None}, {"to": {}}, {"to": {"city": None}}, {"to": "Rome"}])
def test_an_argument_that_is_absent_or_null_has_no_header(ada: Client, arguments: Any) -> None:
    assert sent(ada, arguments) == 0
    for header in ("Rome", "", "null", "=?base64?!!!!?=", "=?base64??="):
        assert sent(ada, arguments, mcp_param_city=header) == -32020


@requirement("B-HDR-10")
def test_an_argument_deep_inside_is_found_by_its_path(ada: Client) -> None:
    arguments = {"to": {"city": "Rome"}, "city": "Paris"}

    assert sent(ada, arguments, mcp_param_city="Rome") == 0
    assert sent(ada, arguments, mcp_param_city="Paris") == -32020


@requirement("B-HDR-10")
def test_headers_that_repeat_no_argument_mean_nothing(ada: Client) -> None:
    assert sent(ada, {"weight": 1}, mcp_param_weight="1", mcp_param_height="2") == 0
    assert sent(ada, {"name": "Zoë"}, "greet", mcp_param_name="Ann") == 0


@requirement("B-HDR-10", "B-ERR-5")
def test_a_rejected_call_calls_nothing(harness: Harness, ada: Client) -> None:
    called: list[str] = []

    @tool()
    def deliver(region: Annotated[str, Header("Region")]) -> None:
        """Deliver."""
        called.append(region)

    harness.change(features=Features.of([deliver]))
    before = harness.kept()

    assert sent(ada, {"region": "here"}, "deliver", mcp_param_region="there") == -32020
    assert (called, harness.kept()) == ([], before)


class Address(BaseModel):
    city: Annotated[str, Header("City")]


@requirement("B-HDR-9")
@pytest.mark.parametrize(
    "argument",
    [
        Annotated[float, Header("Weight")],
        Annotated[list[str], Header("Tags")],
        Annotated[str | None, Header("Region")],
        list[Annotated[str, Header("Tag")]],
        Address,
        Annotated[str, Header("")],
        Annotated[str, Header("two words")],
        Annotated[str, Header("Größe")],
        Annotated[str, Header("a\r\nb")],
        Annotated[str, Header("a:b")],
    ],
    ids=repr,
)
def test_an_annotation_that_clients_could_not_follow_is_rejected(argument: Any) -> None:
    def carry(what: Any) -> None:
        """Carry something."""

    carry.__annotations__["what"] = argument

    with pytest.raises(TypeError, match="header"):
        tool()(carry)


@requirement("B-HDR-9")
@pytest.mark.parametrize(
    "properties",
    [
        {"a": {"type": "string", "x-mcp-header": "Same"}, "b": {"type": "string", "x-mcp-header": "SAME"}},
        {"a": {"oneOf": [{"type": "string", "x-mcp-header": "A"}]}},
        {"a": {"type": "object", "properties": {"b": {"type": "number", "x-mcp-header": "B"}}}},
        {"a": {"type": "string", "x-mcp-header": 7}},
    ],
)
def test_an_annotation_in_an_own_schema_that_clients_could_not_follow_is_rejected(properties: Any) -> None:
    with pytest.raises(TypeError, match="header"):
        tool(input_schema={**NESTED, "properties": properties})(ship.work.function)
