"""The schemas that clients are shown: without references where they can be, and without what clients misread."""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import AliasChoices, BaseModel, Field, RootModel, create_model
from typing_extensions import TypedDict  # pydantic refuses the one of `typing` before Python 3.12

from mcp_tasks import prompt, resource
from mcp_tasks.features.signature import Signature
from tests.unit.callables import CONTEXT, call, complaint


class Color(Enum):
    RED = "red"


class Leaf(BaseModel):
    color: Annotated[Color, Field(description="Of the leaf.")]


class Branch(BaseModel):
    """A branch."""

    leaves: list[Leaf]
    branches: list["Branch"] = []


def paint(color: Color) -> str:
    return color.value


def grow(branch: Branch) -> Branch:
    return branch


def test_a_reference_is_replaced_by_its_target() -> None:
    assert Signature(paint).input_schema == {
        "type": "object",
        "properties": {"color": {"type": "string", "enum": ["red"]}},
        "required": ["color"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("schema", [Signature(grow).input_schema, Signature(grow).output_schema])
def test_only_recursive_types_are_referred_to(schema: Any) -> None:
    leaf = {
        "type": "object",
        "properties": {"color": {"type": "string", "enum": ["red"], "description": "Of the leaf."}},
        "required": ["color"],
    }

    assert schema["$defs"] == {
        "Branch": {
            "type": "object",
            "description": "A branch.",
            "properties": {
                "leaves": {"type": "array", "items": leaf},
                "branches": {"type": "array", "items": {"$ref": "#/$defs/Branch"}, "default": []},
            },
            "required": ["leaves"],
        }
    }


def test_types_that_would_fill_more_than_64_kb_stay_references() -> None:
    deep: Any = create_model("Level0", text=(str, ...))
    for level in range(1, 40):
        # Written out, forty levels of two are as many as 2 ** 40 leaves.
        deep = create_model(f"Level{level}", left=(deep, ...), right=(deep, ...))

    def dive(deep: Any) -> None: ...

    dive.__annotations__["deep"] = deep
    schema = Signature(dive).input_schema

    assert len(schema["$defs"]) == 40
    assert schema["properties"] == {"deep": {"$ref": "#/$defs/Level39"}}


def test_keywords_beside_a_reference_do_not_replace_those_of_its_target() -> None:
    class Short(RootModel[Annotated[str, Field(max_length=9)]]):
        pass

    def name(of: Annotated[Short, Field(json_schema_extra={"maxLength": 5, "description": "Of five."})]) -> None: ...

    shown = {"type": "string", "maxLength": 9}
    assert Signature(name).input_schema["properties"]["of"] == {
        "allOf": [shown],
        "maxLength": 5,
        "description": "Of five.",
    }


def test_a_default_stays_beside_what_a_reference_refers_to() -> None:
    def show(color: Color = Color.RED) -> None: ...

    assert Signature(show).input_schema["properties"]["color"] == {
        "type": "string",
        "enum": ["red"],
        "default": "red",
    }


class Code(BaseModel):
    plain: Annotated[str, Field(pattern="^[a-z]+$")]
    insensitive: Annotated[str, Field(pattern="(?i)^[a-z]+$")]
    by_code: dict[Annotated[str, Field(pattern=r"\A[0-9]\z")], int] = {}


def code(code: Code) -> Code:
    return code


def test_a_pattern_that_javascript_cannot_compile_is_not_shown_and_still_checked() -> None:
    (shown,) = Signature(code).input_schema["properties"].values()

    assert shown["properties"] == {
        "plain": {"type": "string", "pattern": "^[a-z]+$"},
        "insensitive": {"type": "string"},
        "by_code": {"type": "object", "default": {}},
    }
    assert "insensitive: String should match pattern" in complaint(code, code={"plain": "a", "insensitive": "1"})


def test_the_schema_of_a_result_has_no_patterns() -> None:
    schema = Signature(code).output_schema

    assert schema is not None
    assert schema["properties"] == {
        "plain": {"type": "string"},
        "insensitive": {"type": "string"},
        "by_code": {"type": "object", "additionalProperties": {"type": "integer"}, "default": {}},
    }


class Described(BaseModel):
    by_text: Annotated[str, "Of a model."]
    by_field: Annotated[str, "Dropped.", Field(description="Said at length.")]
    aliased: Annotated[str, "Of an alias."] = Field(alias="theAlias")


@dataclass
class Data:
    x: Annotated[int, "Of a dataclass."]


class Typed(TypedDict):
    y: Annotated[int, "Of a dict."]


def test_a_text_beside_a_type_describes_the_field() -> None:
    def take(
        name: Annotated[str, "Of an argument."],
        color: Annotated[Color, "Of the paint."],
        model: Described,
        data: Data,
        typed: Typed,
        count: Annotated[int, "How many."] = 1,
    ) -> Described:
        return model

    signature = Signature(take)
    fields = signature.input_schema["properties"]
    model = {
        "by_text": {"type": "string", "description": "Of a model."},
        "by_field": {"type": "string", "description": "Said at length."},
        "theAlias": {"type": "string", "description": "Of an alias."},
    }

    assert fields["name"] == {"type": "string", "description": "Of an argument."}
    assert fields["color"] == {"type": "string", "enum": ["red"], "description": "Of the paint."}
    assert fields["count"] == {"type": "integer", "description": "How many.", "default": 1}
    assert fields["model"]["properties"] == model
    assert fields["data"]["properties"] == {"x": {"type": "integer", "description": "Of a dataclass."}}
    assert fields["typed"]["properties"] == {"y": {"type": "integer", "description": "Of a dict."}}
    assert signature.output_schema is not None
    assert signature.output_schema["properties"] == model


def greet(from_: Annotated[str, Field(alias="from")], to: Annotated[str, Field(validation_alias="recipient")]) -> str:
    return f"{from_} greets {to}"


def test_an_alias_is_the_name_of_an_argument() -> None:
    assert list(Signature(greet).input_schema["properties"]) == ["from", "recipient"]
    assert call(greet, **{"from": "Ada", "recipient": "Bob"}) == "Ada greets Bob"
    assert complaint(greet, from_="Ada") == (
        "from is missing; recipient is missing; there is no from_, only: from, recipient"
    )


def test_the_default_of_an_argument_with_an_alias_is_checked() -> None:
    def look(class_: Annotated[int, Field(alias="class")] = 1) -> int:
        return class_

    signature = Signature(look)
    signature.check_definition(lambda: signature.input_schema)

    assert call(look) == 1
    assert call(look, **{"class": 2}) == 2


def twice(a: Annotated[str, Field(alias="b")], b: str) -> str:
    return a + b


def several(a: Annotated[str, Field(validation_alias=AliasChoices("b", "c"))]) -> str:
    return a


@pytest.mark.parametrize("function", [twice, several])
def test_an_alias_of_two_arguments_or_of_two_names_is_rejected(function: Any) -> None:
    signature = Signature(function)

    with pytest.raises(TypeError, match=f"^{function.__name__}: .*the alias of a parameter is one text"):
        signature.check_definition(lambda: signature.input_schema)


def test_an_alias_is_a_variable_of_a_resource_and_an_argument_of_a_prompt() -> None:
    @resource("city://{from}")
    def city(from_: Annotated[str, Field(alias="from")]) -> str:
        """A city."""
        return from_

    @prompt()
    def ask(from_: Annotated[str, Field(alias="from"), "Who asks."]) -> str:
        """Ask."""
        return from_

    assert city.work.read({"from": "Zürich"}, CONTEXT) == "Zürich"
    assert [(each.name, each.description) for each in ask.arguments] == [("from", "Who asks.")]
    assert ask.work.get({"from": "Ada"}, CONTEXT)[0]["content"] == {"type": "text", "text": "Ada"}
