"""A function's return value as structured content, and its schema."""

import math
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, NotRequired

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, computed_field, field_validator, model_serializer
from typing_extensions import TypedDict  # pydantic refuses the one of `typing` before Python 3.12

from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.features.signature import Signature
from tests.unit.callables import CONTEXT, Place, Trip, plain, travel


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


def test_the_context_of_a_call_is_no_result() -> None:
    with pytest.raises(BadResult, match=r"^it is of type Context, which is no result$"):
        Signature(plain).returned(CONTEXT)


@pytest.mark.parametrize("mean", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_no_result(mean: float) -> None:
    with pytest.raises(BadResult, match="no number in JSON"):
        Signature(report).structure(Report(mean=mean, when=date(2026, 1, 2)))


@dataclass
class Reports:
    all: list[Report]
    first: Report | None = None
    count: int = field(init=False, default=0)


def reports() -> Reports:
    return Reports(all=[report()], first=report())


@dataclass
class Cat:
    name: Annotated[str, Field(alias="called")]
    lives: Annotated[int, Field(ge=0)] = 9


@dataclass
class Dog:
    name: Annotated[str, Field(alias="called")]


class Pets(TypedDict):
    all: list[Dog | Cat]


def pets() -> Pets:
    return {"all": [Cat("Tom"), Dog("Spot")]}


def test_dataclasses_in_a_typed_dict_keep_their_kind_and_their_aliases() -> None:
    assert Signature(pets).structure(pets()) == {"all": [{"called": "Tom", "lives": 9}, {"called": "Spot"}]}
    with pytest.raises(BadResult, match=r"lives: Input should be greater than or equal to 0"):
        Signature(pets).structure({"all": [Cat("Tom", lives=-1)]})


def test_dataclasses_in_a_dataclass_fit_its_schema() -> None:
    shown = {"mean": 1.5, "when": "2026-01-02", "tags": ["é"]}

    assert Signature(reports).structure(reports()) == {"all": [shown], "first": shown, "count": 0}


@pytest.mark.parametrize("mean", ["high", None, [1]])
def test_a_dataclass_with_wrong_values_is_no_result(mean: Any) -> None:
    wrong = Report(mean=mean, when=date(2026, 1, 2))

    with pytest.raises(BadResult, match=r"^mean: Input should be"):
        Signature(report).structure(wrong)
    with pytest.raises(BadResult, match=r"^all\.0\.mean: Input should be"):
        Signature(reports).structure(Reports(all=[wrong]))


@pytest.mark.parametrize("name", [7, ["a"]])
def test_a_model_that_was_changed_to_wrong_values_is_no_result(name: Any) -> None:
    changed = grow()
    changed.children[0].name = name

    with pytest.raises(BadResult, match=r"^children\.0\.name: Input should be a valid string"):
        Signature(grow).structure(changed)


def test_a_model_that_was_changed_to_what_is_the_same_in_json_is_a_result() -> None:
    changed = grow()
    changed.children = (Tree(name="b"),)  # type: ignore[assignment]  # a tuple: what some authors write

    assert Signature(grow).structure(changed) == grow().model_dump()


class Weight(BaseModel):
    kilograms: float


def weigh() -> Weight:
    return Weight(kilograms=math.nan)


def test_a_model_with_what_json_cannot_say_is_no_result() -> None:
    with pytest.raises(BadResult, match="it holds NaN, which is no number in JSON"):
        Signature(weigh).structure(weigh())


@dataclass
class Visit:
    count: int

    def __post_init__(self) -> None:
        self.count += 1


def visit() -> Visit:
    return Visit(count=1)


def test_a_dataclass_is_written_as_it_was_returned() -> None:
    assert Signature(visit).structure(visit()) == {"count": 2}


class Price(BaseModel):
    model_config = ConfigDict(extra="forbid")

    euros: float

    @field_validator("euros", mode="before")
    @classmethod
    def _with_a_comma(cls, given: str) -> str:
        return given.replace(",", ".")

    @computed_field
    def cents(self) -> int:
        return round(self.euros * 100)


def price() -> Price:
    return Price(euros="1,5")  # type: ignore[arg-type]  # what the validator is for


@pytest.mark.parametrize("value", [price(), {"euros": "1,5"}])
def test_validators_see_what_was_returned_and_not_what_is_sent(value: Any) -> None:
    assert Signature(price).structure(value) == {"euros": 1.5, "cents": 150}


class Listed(BaseModel):
    names: list[str]

    @model_serializer
    def as_list(self) -> Any:
        return self.names


def listed() -> Listed:
    return Listed(names=["a"])


def test_a_structured_result_is_an_object() -> None:
    with pytest.raises(BadResult, match=r'^it is written as \["a"\], and a structured result is an object$'):
        Signature(listed).structure(listed())


def test_half_a_character_in_a_model_is_sent_as_a_question_mark() -> None:
    assert Signature(grow).structure(Tree(name="a\ud800"))["name"] == "a?"


def test_a_function_that_breaks_its_contract_fails_with_a_message_that_says_so() -> None:
    with pytest.raises(BadResult, match=r"^mean is missing$"):
        Signature(report).structure({"when": "2026-01-02"})


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")

    day: str
    rows: int = 0


def closed() -> Closed:
    return Closed(day="today")


def test_a_field_too_many_is_told_with_those_that_there_are() -> None:
    with pytest.raises(BadResult, match=r"^there is no mean, only: day, rows$"):
        Signature(closed).structure({"day": "today", "mean": 1})
