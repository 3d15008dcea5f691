"""From an annotated function to a schema that reads well, and from a client's arguments to a call."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import wraps
from typing import Annotated, Any, Literal, NotRequired, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, field_validator
from typing_extensions import TypedDict  # pydantic refuses the one of `typing` before Python 3.12

from mcp_tasks import Context
from mcp_tasks.context import Journal
from mcp_tasks.errors import BadArguments, BadResult
from mcp_tasks.signature import Signature
from mcp_tasks.tasks.model import JSON, Progress
from tests.kit import ADA


class Deaf:
    """A journal that writes nothing."""

    def progressed(self, progress: Progress) -> None:
        return

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        return run()


DEAF: Journal = Deaf()
CONTEXT = Context(caller=ADA, journal=DEAF)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    """Where on earth."""

    lat: float = Field(ge=-90, le=90, description="Degrees north.")
    title: str = "nowhere"


class Trip(BaseModel):
    stops: list[Place]
    by_name: dict[str, Place] = {}
    back: Place | None = None

    @field_validator("stops")
    @classmethod
    def _goes_somewhere(cls, stops: list[Place]) -> list[Place]:
        if not stops:
            raise ValueError("a trip needs a stop")
        return stops


class Tree(BaseModel):
    name: str
    children: list["Tree"] = []


@dataclass
class Report:
    """What was found."""

    mean: float
    when: date
    tags: list[str] = field(default_factory=list)


class Pair(TypedDict):
    left: int
    right: NotRequired[int]


def report() -> Report:
    return Report(mean=1.5, when=date(2026, 1, 2), tags=["é"])


def pair() -> Pair:
    return {"left": 1}


def grow() -> Tree:
    return Tree(name="a", children=[Tree(name="b")])


def nothing() -> str:
    return "nothing"


def plain(name: str, size: int = 3, *, ratio: float = 0.5, deep: bool = False) -> str:
    return json.dumps([name, size, ratio, deep])


def rich(
    colour: Colour,
    mode: Literal["fast", "slow"] = "fast",
    label: Optional[str] = None,  # noqa: UP045  # an adopter may write it so
    on: date | None = None,
    limit: Annotated[int, Field(ge=1, le=10, description="How many.")] = 5,
) -> list[object]:
    return [colour, mode, label, on, limit]


def travel(trip: Trip) -> Trip:
    return trip


def first(context: Context, name: str) -> str:
    return f"{context.caller.subject} {name}"


def last(name: str, context: Context) -> str:
    return f"{context.caller.subject} {name}"


def amid(name: str, ctx: Context | None = None, size: int = 1) -> str:
    return f"{ctx.caller.subject if ctx else None} {name} {size}"


def model_words(json: str, copy: int, schema: bool, model_config: str = "", self: str = "") -> list[object]:
    return [json, copy, schema, model_config, self]


async def later(name: str) -> str:
    await asyncio.sleep(0)
    return f"later {name}"


@wraps(later)
def wrapped(*args: Any, **kwargs: Any) -> Any:
    return later(*args, **kwargs)


def anything(value: Any, items: list[int] = []) -> Any:  # noqa: B006  # an adopter may write it so
    return [value, items]


def call(function: Callable[..., Any], /, **arguments: JSON) -> Any:
    return Signature(function).run(arguments, CONTEXT)


def complaint(function: Callable[..., Any], /, **arguments: JSON) -> str:
    with pytest.raises(BadArguments) as refused:
        call(function, **arguments)
    return str(refused.value)


def test_a_function_without_arguments_takes_an_empty_object() -> None:
    assert Signature(nothing).input_schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert call(nothing) == "nothing"
    assert complaint(nothing, x=1) == "there is no x, only: nothing"


def test_the_schema_of_plain_arguments_says_no_more_than_the_signature() -> None:
    assert Signature(plain).input_schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "size": {"type": "integer", "default": 3},
            "ratio": {"type": "number", "default": 0.5},
            "deep": {"type": "boolean", "default": False},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_the_schema_keeps_choices_descriptions_and_bounds() -> None:
    assert Signature(rich).input_schema == {
        "type": "object",
        "$defs": {"Colour": {"type": "string", "enum": ["red", "blue"]}},
        "properties": {
            "colour": {"$ref": "#/$defs/Colour"},
            "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"},
            "label": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "on": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
            "limit": {"type": "integer", "minimum": 1, "maximum": 10, "description": "How many.", "default": 5},
        },
        "required": ["colour"],
        "additionalProperties": False,
    }


def test_a_nested_model_brings_no_titles_but_keeps_a_property_of_that_name() -> None:
    schema = Signature(travel).input_schema

    place = {
        "type": "object",
        "description": "Where on earth.",
        "properties": {
            "lat": {"type": "number", "minimum": -90, "maximum": 90, "description": "Degrees north."},
            "title": {"type": "string", "default": "nowhere"},
        },
        "required": ["lat"],
    }
    assert schema["$defs"]["Place"] == place
    assert schema["$defs"]["Trip"]["properties"] == {
        "stops": {"type": "array", "items": {"$ref": "#/$defs/Place"}},
        "by_name": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Place"}, "default": {}},
        "back": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}], "default": None},
    }


def test_a_default_that_has_a_title_keeps_it() -> None:
    def show(card: dict[str, str] = {"title": "A"}) -> str:  # noqa: B006  # an adopter may write it so
        return card["title"]

    assert Signature(show).input_schema["properties"]["card"]["default"] == {"title": "A"}


@pytest.mark.parametrize("function", [nothing, plain, rich, travel, model_words, anything, later, wrapped])
def test_every_schema_is_a_json_schema(function: Callable[..., Any]) -> None:
    signature = Signature(function)

    for schema in filter(None, [signature.input_schema, signature.output_schema]):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"


@pytest.mark.parametrize("function", [first, last])
def test_the_context_is_handed_over_wherever_it_stands_and_not_shown(function: Callable[..., Any]) -> None:
    assert list(Signature(function).input_schema["properties"]) == ["name"]
    assert call(function, name="x") == "ada x"
    assert complaint(function, name="x", context={}) == "there is no context, only: name"


def test_an_optional_context_is_handed_over_too() -> None:
    assert list(Signature(amid).input_schema["properties"]) == ["name", "size"]
    assert call(amid, name="x") == "ada x 1"


def test_an_argument_may_have_a_name_that_models_use_themselves() -> None:
    arguments = {"json": "a", "copy": 1, "schema": True, "model_config": "c", "self": "s"}

    assert Signature(model_words).run(arguments, CONTEXT) == ["a", 1, True, "c", "s"]


def test_arguments_arrive_as_the_annotated_types() -> None:
    given = call(rich, colour="red", on="2026-01-02", limit=7)

    assert given == [Colour.RED, "fast", None, date(2026, 1, 2), 7]


def test_a_nested_model_arrives_as_a_model() -> None:
    assert call(travel, trip={"stops": [{"lat": 1}]}) == Trip(stops=[Place(lat=1)])


@pytest.mark.parametrize(
    ("hint", "given", "expected"),
    [
        (float, 3, 3.0),
        (Decimal, "1.10", Decimal("1.10")),
        (datetime, "2026-01-02T03:04:05Z", datetime.fromisoformat("2026-01-02T03:04:05+00:00")),
        (tuple[int, str], [1, "a"], (1, "a")),
        (set[int], [1, 2, 2], {1, 2}),
        (int | str, "7", "7"),
        (dict[str, list[int]], {"a": [1]}, {"a": [1]}),
        (Any, {"a": [None]}, {"a": [None]}),
        (Literal[1, 2], 2, 2),
        (str, "\u2028é😀\0", "\u2028é😀\0"),
    ],
)
def test_json_becomes_what_python_means_by_it(hint: Any, given: JSON, expected: object) -> None:
    def take(x: Any) -> Any:
        return x

    take.__annotations__["x"] = hint

    assert call(take, x=given) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "name is missing"),
        ({"name": 7}, "name: Input should be a valid string, not 7"),
        ({"name": None}, "name: Input should be a valid string, not null"),
        ({"name": "x", "size": "7"}, 'size: Input should be a valid integer, not "7"'),
        ({"name": "x", "size": 7.5}, "size: Input should be a valid integer, not 7.5"),
        ({"name": "x", "size": True}, "size: Input should be a valid integer, not true"),
        ({"name": "x", "deep": 1}, "deep: Input should be a valid boolean, not 1"),
        ({"name": "x", "deep": "yes"}, 'deep: Input should be a valid boolean, not "yes"'),
        ({"name": "x", "colour": "red"}, "there is no colour, only: name, size, ratio, deep"),
        ({"size": "7"}, 'name is missing; size: Input should be a valid integer, not "7"'),
    ],
)
def test_a_wrong_argument_is_named_with_what_was_wrong_and_what_is_right(
    arguments: dict[str, JSON], words: str
) -> None:
    assert complaint(plain, **arguments) == words


def test_a_choice_a_bound_and_a_rule_say_themselves() -> None:
    assert complaint(rich, colour="green") == "colour: Input should be 'red' or 'blue', not \"green\""
    assert complaint(rich, colour="red", limit=11) == "limit: Input should be less than or equal to 10, not 11"
    assert complaint(travel, trip={"stops": []}) == "trip.stops: Value error, a trip needs a stop, not []"
    assert complaint(travel, trip={"stops": [{"lat": 1}, {}]}) == "trip.stops.1.lat is missing"


def test_a_thousand_mistakes_are_told_shortly() -> None:
    words = complaint(anything, value=0, items=["x" * 1_000] * 1_000)

    assert words.startswith('items.0: Input should be a valid integer, not "xxx')
    assert words.endswith("; and 995 more")
    assert len(words) < 1_000


@pytest.mark.parametrize("value", ["\ud800", {"\udfff": 1}])
def test_half_a_character_is_refused(value: JSON) -> None:
    assert "surrogate" in complaint(anything, value=value)


def test_a_bottomless_argument_is_refused() -> None:
    value: JSON = []
    for _ in range(500):
        value = [value]

    assert "recursion" in complaint(anything, value=value).lower()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["name", "size", "ratio", "deep", "more"]), json_values))
def test_what_the_schema_refuses_is_refused(arguments: dict[str, JSON]) -> None:
    signature = Signature(plain)
    fits = Draft202012Validator(signature.input_schema).is_valid(arguments)

    try:
        signature.check(arguments)
    except BadArguments:
        # Stricter in one point: 3.0 is an integer to JSON Schema, and none to whoever reads it as Python does.
        whole = isinstance(size := arguments.get("size"), float) and size.is_integer()
        assert not fits or whole
    else:
        assert fits


@pytest.mark.parametrize("function", [later, wrapped])
def test_an_async_function_is_awaited(function: Callable[..., Any]) -> None:
    assert call(function, name="x") == "later x"


def test_a_default_is_not_shared_between_calls() -> None:
    call(anything, value=1)[1].append(7)

    assert call(anything, value=1) == [1, []]


def test_text_has_no_output_schema() -> None:
    assert Signature(plain).output_schema is None
    assert Signature(plain).structure("x") is None


def test_a_dataclass_has_an_output_schema_and_fits_it() -> None:
    signature = Signature(report)

    assert signature.output_schema == {
        "type": "object",
        "description": "What was found.",
        "properties": {
            "mean": {"type": "number"},
            "when": {"type": "string", "format": "date"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["mean", "when"],
    }
    assert signature.structure(report()) == {"mean": 1.5, "when": "2026-01-02", "tags": ["é"]}


def test_a_state_machines_json_becomes_the_same_structure() -> None:
    assert Signature(report).structure({"mean": 1, "when": "2026-01-02"}) == {
        "mean": 1.0,
        "when": "2026-01-02",
        "tags": [],
    }


def test_a_typed_dict_and_a_model_are_structures_too() -> None:
    assert Signature(pair).structure(pair()) == {"left": 1}
    assert Signature(travel).structure(Trip(stops=[Place(lat=1)]))["stops"] == [{"lat": 1.0, "title": "nowhere"}]


def test_a_recursive_structure_is_an_object_at_the_top() -> None:
    schema = Signature(grow).output_schema

    assert schema is not None
    assert schema["type"] == "object"
    assert Draft202012Validator(schema).is_valid(Signature(grow).structure(grow()))


@pytest.mark.parametrize("mean", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_no_result(mean: float) -> None:
    with pytest.raises(BadResult, match="no number in JSON"):
        Signature(report).structure(Report(mean=mean, when=date(2026, 1, 2)))


def test_a_function_that_breaks_its_promise_is_told_so() -> None:
    with pytest.raises(BadResult, match=r"^mean is missing$"):
        Signature(report).structure({"when": "2026-01-02"})


def star(*names: str) -> str:
    return ""


def stars(**names: str) -> str:
    return ""


def by_place(name: str, /) -> str:
    return ""


def bare(name) -> str:  # type: ignore[no-untyped-def]  # what it is about
    return ""


def default_field(size: int = Field(3, ge=1)) -> str:
    return ""


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (star, r"star: a tool names each argument; \*names: str does not"),
        (stars, r"stars: a tool names each argument; \*\*names: str does not"),
        (by_place, "by_place: a tool names each argument"),
        (bare, "bare: annotate name; its schema comes from there"),
        (default_field, r"default_field: write size: Annotated\[\.\.\., Field\(\.\.\.\)\]"),
    ],
)
def test_what_no_client_could_call_is_refused_at_once(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        Signature(function)
