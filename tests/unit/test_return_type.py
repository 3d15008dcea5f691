"""What a function returns is checked against its annotation, and against the schema that clients are shown."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import pytest
from pydantic import BaseModel, BeforeValidator, Field, RootModel, computed_field, field_serializer, model_serializer

from mcp_tasks import Image
from mcp_tasks.authoring.errors import BadResult
from tests.unit.callables import giving


def text_of(hint: Any, value: Any) -> str:
    """Return the text of a result that has nothing else."""
    result = giving(hint).returned(value).result
    assert result.keys() == {"content"}
    (block,) = result["content"]
    return str(block["text"])


class Row(BaseModel):
    at: datetime
    opens: time
    took: timedelta
    on: date = date(2026, 1, 2)
    id: UUID = UUID(int=7)


def test_values_that_break_their_format_are_shown_without_it() -> None:
    rows = giving(Row)

    assert rows.output_schema is not None
    assert rows.output_schema["properties"] == {
        "at": {"type": "string"},
        "opens": {"type": "string"},
        "took": {"type": "string"},
        "on": {"type": "string", "format": "date", "default": "2026-01-02"},
        "id": {"type": "string", "format": "uuid", "default": "00000000-0000-0000-0000-000000000007"},
    }
    assert rows.structure(
        Row(at=datetime.fromisoformat("2026-01-02T03:00"), opens=time(9), took=timedelta(seconds=-1.5))
    ) == {
        "at": "2026-01-02T03:00:00",
        "opens": "09:00:00",
        "took": "-PT1.5S",
        "on": "2026-01-02",
        "id": "00000000-0000-0000-0000-000000000007",
    }


class Unannotated(BaseModel):
    size: int

    @field_serializer("size")
    def _as_text(self, size: int):  # type: ignore[no-untyped-def]  # what it is about
        return f"{size} bytes"


class Whole(BaseModel):
    size: int

    @model_serializer
    def _as_other(self):  # type: ignore[no-untyped-def]  # what it is about
        return {"bytes": str(self.size)}


def test_a_serializer_without_an_annotation_may_write_anything() -> None:
    assert giving(Unannotated).output_schema == {"type": "object", "properties": {"size": {}}, "required": ["size"]}
    assert giving(Unannotated).structure(Unannotated(size=3)) == {"size": "3 bytes"}
    assert giving(Whole).output_schema == {"type": "object"}
    assert giving(Whole).structure(Whole(size=3)) == {"bytes": "3"}


class Wrong(BaseModel):
    size: int

    @field_serializer("size")
    def _as_text(self, size: int) -> int:
        return f"{size} bytes"  # type: ignore[return-value]  # what it is about

    @computed_field
    def half(self) -> Annotated[int, Field(ge=10)]:
        return self.size // 2


class Nowhere(BaseModel):
    path: Annotated[str, Field(json_schema_extra={"maxLength": 3})]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Wrong(size=30), r"^size: Input should be a valid integer, not \"30 bytes\"$"),
        (Nowhere(path="/tmp"), r"^path: String should have at most 3 characters, not \"/tmp\"$"),
    ],
)
def test_a_result_that_contradicts_its_schema_is_none(value: BaseModel, words: str) -> None:
    with pytest.raises(BadResult, match=words):
        giving(type(value)).structure(value)


@dataclass
class Label:
    text: Annotated[str, BeforeValidator(str.strip), Field(max_length=3)]


def test_a_value_that_a_validator_makes_right_is_sent_as_the_validator_made_it() -> None:
    assert giving(Label).structure(Label("  a  ")) == {"text": "a"}


class Color(Enum):
    RED = "red"


class Point(NamedTuple):
    x: int
    y: float = 0.0


def numbers() -> Iterator[int]:
    yield from (1, 2)


@pytest.mark.parametrize(
    ("hint", "value", "text"),
    [
        (int, 7, "7"),
        (str, "seven", "seven"),
        (str, "\udce9.pdf", "?.pdf"),
        (float, 7, "7.0"),
        (list[int], (1, 2), "[1,2]"),
        (list[int], {1}, "[1]"),
        (list[int], numbers(), "[1,2]"),
        (set[str], ["a"], '["a"]'),
        (tuple[int, str], [1, "a"], '[1,"a"]'),
        (date, "2026-01-02", "2026-01-02"),
        (Color, Color.RED, '"red"'),
        (Path, Path("a"), '"a"'),
        (Point, Point(1), "[1,0.0]"),
        (Decimal, Decimal("1E+3"), '"1E+3"'),
        (bytes, b"a", '"a"'),
        (int | None, 3, "3"),
        (Row | None, None, None),
        (RootModel[list[int]], RootModel[list[int]]([1]), "[1]"),
        (Any, [float("nan")], "[null]"),
        (Literal["a"], "a", "a"),
    ],
)
def test_a_text_fits_its_annotation(hint: Any, value: Any, text: str | None) -> None:
    if text is not None:
        assert text_of(hint, value) == text
    else:
        assert giving(hint).returned(value)


@pytest.mark.parametrize(
    ("hint", "value", "words"),
    [
        (int, "7", 'result: Input should be a valid integer, not "7"'),
        (list[int], ["7"], '0: Input should be a valid integer, not "7"'),
        (str, 7, "result: Input should be a valid string, not 7"),
        (str, None, "result: Input should be a valid string, not null"),
        (str, {"a": 1}, 'result: Input should be a valid string, not {"a": 1}'),
        (bool, "yes", 'result: Input should be a valid boolean, not "yes"'),
        (float, float("nan"), "result: Input should be a valid number, not null"),
        (int, 10**400, "result: Input should be less than or equal to"),
        (date, datetime(2026, 1, 2, tzinfo=UTC), "result: String should match pattern"),
        (Literal["a"], "b", "result: Input should be 'a', not \"b\""),
        (None, "x", 'result: Input should be null, not "x"'),
        (tuple[int, str], [1], "1 is missing"),
        (Row | None, {"at": 1}, "at: Input should be a valid string, not 1; opens is missing"),
        (bytes, b"\xff", "it is bytes that are no text"),
        (object, numbers, "it is of type function, which has no JSON"),
        (list, [object], "it[0] is of type type, which has no JSON"),
        (str, Image(b"x"), "result: Input should be a valid string"),
        (Image, "x", "result: Input should be a dictionary or an instance of Image"),
    ],
)
def test_a_result_of_another_type_is_none(hint: Any, value: Any, words: str) -> None:
    with pytest.raises(BadResult) as refused:
        giving(hint).returned(value)

    assert words in str(refused.value)
