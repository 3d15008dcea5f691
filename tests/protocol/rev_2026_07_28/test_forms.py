"""Forms: how they are rendered, and which content is accepted."""

from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from mcp_tasks import Accepted, Context, Form, tool
from mcp_tasks.features.listing import Features
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client
from tests.protocol.rev_2026_07_28.responses import accept, text


class Size(Enum):
    """How much."""

    LITTLE = "little"
    MUCH = "much"


class Order(Form):
    what: Annotated[str, Field(min_length=2, max_length=20, title="What?", description="Some food.")]
    size: Size = Size.LITTLE
    pieces: Annotated[int, Field(ge=1, le=9)] = 1
    tip: float = 0.5
    gift: bool = False
    extras: Annotated[list[Literal["salt", "pepper"]], Field(default_factory=list)]
    mail: Annotated[str, Field(json_schema_extra={"format": "email"})] = "a@b.example"


@tool(tasks="never")
def order(context: Context) -> str:
    """Take an order."""
    answer = context.elicit("What will it be?", Order, key="order")
    return repr(answer.value) if isinstance(answer, Accepted) else type(answer).__name__


@pytest.fixture
def waiter(harness: Harness) -> Client:
    harness.change(features=Features.of([order]))
    return Client(harness)


@requirement("B-ELI-1", "B-MRTR-3")
def test_a_form_is_flat_and_says_what_fits(waiter: Client) -> None:
    input_request = waiter.call("order")["inputRequests"]["order"]

    assert input_request["params"]["requestedSchema"] == {
        "type": "object",
        "properties": {
            "what": {
                "type": "string",
                "title": "What?",
                "description": "Some food.",
                "minLength": 2,
                "maxLength": 20,
            },
            "size": {
                "type": "string",
                "title": "Size",
                "description": "How much.",
                "enum": ["little", "much"],
                "default": "little",
            },
            "pieces": {"type": "integer", "title": "Pieces", "minimum": 1, "maximum": 9, "default": 1},
            "tip": {"type": "number", "title": "Tip", "default": 0.5},
            "gift": {"type": "boolean", "title": "Gift", "default": False},
            "extras": {
                "type": "array",
                "title": "Extras",
                "items": {"type": "string", "enum": ["salt", "pepper"]},
            },
            "mail": {"type": "string", "title": "Mail", "format": "email", "default": "a@b.example"},
        },
        "required": ["what"],
    }


@requirement("B-ELI-2", "B-MRTR-10")
def test_what_is_filled_in_is_what_the_tool_gets(waiter: Client) -> None:
    pending = waiter.call("order")
    content = {"what": "soup", "size": "much", "pieces": 2, "tip": 1.5, "gift": True, "extras": ["salt"]}

    answer = text(waiter.retry(pending, "order", order=accept(**content)))

    assert answer == (
        "Order(what='soup', size=<Size.MUCH: 'much'>, pieces=2, tip=1.5, gift=True, extras=['salt'], "
        "mail='a@b.example')"
    )


@requirement("B-ELI-2", "B-MRTR-8")
@pytest.mark.parametrize(
    ("content", "field"),
    [
        ({}, "what"),
        ({"what": "x"}, "what"),
        ({"what": "x" * 21}, "what"),
        ({"what": ["soup"]}, "what"),
        ({"what": "soup", "size": "huge"}, "size"),
        ({"what": "soup", "pieces": 10}, "pieces"),
        ({"what": "soup", "pieces": 1.5}, "pieces"),
        ({"what": "soup", "pieces": "2"}, "pieces"),
        ({"what": "soup", "tip": "much"}, "tip"),
        ({"what": "soup", "gift": 1}, "gift"),
        ({"what": "soup", "extras": ["sugar"]}, "extras"),
        ({"what": "soup", "extras": "salt"}, "extras"),
    ],
)
def test_what_does_not_fit_is_rejected_by_its_field(waiter: Client, content: Any, field: str) -> None:
    pending = waiter.call("order")
    call = {"name": "order", "arguments": {}, "requestState": pending["requestState"]}

    error = waiter.error("tools/call", **call, inputResponses={"order": accept(**content)})

    assert (error["code"], field in error["message"]) == (-32602, True)


@requirement("B-ELI-2")
@pytest.mark.parametrize(("action", "outcome"), [("decline", "As you like."), ("cancel", "Until later.")])
@pytest.mark.parametrize("content", [None, {"name": 7}])
def test_a_user_may_decline_or_go_away(ada: Client, action: str, outcome: str, content: Any) -> None:
    answer = {"action": action} | ({"content": content} if content else {})

    assert text(ada.retry(ada.call("introduce"), "introduce", name=answer)) == outcome


@requirement("B-ELI-1")
@pytest.mark.parametrize(
    "annotation",
    [
        dict[str, str],
        list[str],
        BaseModel,
        bytes,
        Annotated[str, Field(pattern="a+")],
        Annotated[str, Field(json_schema_extra={"format": "password"})],
    ],
)
def test_a_form_that_no_client_could_show_cannot_be_written(annotation: Any) -> None:
    with pytest.raises(TypeError, match="cannot be asked for"):
        type("Odd", (Form,), {"__annotations__": {"field": annotation}})
