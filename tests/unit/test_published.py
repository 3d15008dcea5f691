"""The schemas that clients are shown: without references where they can be, and without what clients misread."""

from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, RootModel, create_model

from mcp_tasks.features.signature import Signature
from tests.unit.callables import complaint


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
