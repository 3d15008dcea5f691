"""Forms that are rejected at import: no client could show them, or no user could fill them in."""

from datetime import date, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

import pytest
from pydantic import Field, SecretStr, WithJsonSchema, create_model

from mcp_tasks import Form
from tests.unit.fields import Mixed, Number, Only, Place, Side, rejected

T = TypeVar("T")


class Address(Form):
    street: str


@pytest.mark.parametrize(
    ("hint", "default"),
    [
        (int, "7"),
        (int, 7.5),
        (int, True),
        (bool, 1),
        (str, None),
        (str, 7),
        (float, float("nan")),
        (float, float("inf")),
        (date, "tomorrow"),
        (Literal["a", "b"], "c"),
        (Side, "up"),
        (list[Side], ["up"]),
        (list[Side], "left"),
        (Annotated[int, Field(ge=5)], 4),
        (Annotated[str, Field(max_length=2)], "abc"),
        (Annotated[list[Only], Field(min_length=1)], []),
    ],
)
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_a_default_that_could_not_be_given_is_rejected(hint: Any, default: Any) -> None:
    assert rejected(hint, default) == "its default does not fit"


@pytest.mark.parametrize(
    "hint",
    [
        *(int | str, int | str | None, Any, object, None, Place, dict, dict[str, str]),
        *(Decimal, Literal["a", 1], Literal["a", None], Mixed, Place | None),
        Annotated[str, WithJsonSchema({"type": ["string", "null"]})],
        Annotated[str, WithJsonSchema({})],
    ],
)
def test_what_is_not_flat_or_not_of_one_kind_is_rejected(hint: Any) -> None:
    assert rejected(hint).startswith(
        "a field is a str, int, float, bool, a Literal or Enum of texts, or a list of such"
    )


@pytest.mark.parametrize(
    "hint",
    [
        *(list, list[str], list[int], list[Any], list[Place], list[list[Side]], list[dict[str, str]]),
        *(list[Number], list[Mixed], list[Literal[1, 2]], list[Literal["a", 1]], list[Side | None], list[date]),
        Annotated[list[str], WithJsonSchema({"type": "array", "items": True})],
        Annotated[list[str], WithJsonSchema({"type": "array", "items": {"enum": ["a"]}})],
        Annotated[list[str], WithJsonSchema({"type": "array", "items": {"type": "string", "enum": "ab"}})],
        Annotated[list[str], WithJsonSchema({"type": "array", "items": {"type": "string", "enum": ["a", 1]}})],
        Annotated[list[str], WithJsonSchema({"type": "array", "items": {"anyOf": [{"const": "a"}]}})],
        Annotated[list[str], WithJsonSchema({"type": "array", "items": {"anyOf": [{"const": 1, "title": "One"}]}})],
        Annotated[
            list[str],
            WithJsonSchema({"type": "array", "items": {"type": "integer", "anyOf": [{"const": "a", "title": "A"}]}}),
        ],
        Annotated[
            list[str],
            WithJsonSchema({"type": "array", "items": {"type": "string", "enum": ["a"], "pattern": "a"}}),
        ],
    ],
)
def test_a_list_of_anything_but_texts_to_choose_from_is_rejected(hint: Any) -> None:
    assert rejected(hint) == "a list is one of texts to choose from"


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (Annotated[int, Field(gt=1)], "clients know no exclusiveMinimum of a integer"),
        (Annotated[float, Field(lt=1)], "clients know no exclusiveMaximum of a number"),
        (Annotated[int, Field(gt=1, multiple_of=2)], "clients know no exclusiveMinimum, multipleOf of a integer"),
        (Annotated[str, Field(pattern="a+")], "clients know no pattern of a string"),
        (Annotated[str, Field(examples=["a"])], "clients know no examples of a string"),
        (SecretStr, "clients know no writeOnly of a string"),
        (Literal[1, 2], "clients know no enum of a integer"),
        (Literal[1], "clients know no enum of a integer"),
        (Literal[True], "clients know no enum of a boolean"),
        (Number, "clients know no enum of a integer"),
        (set[Side], "clients know no uniqueItems of a array"),
        (tuple[Side, Side], "clients know no prefixItems of a array"),
        (Annotated[int, Field(json_schema_extra={"format": "email"})], "clients know no format of a integer"),
    ],
)
def test_what_clients_do_not_know_is_rejected(hint: Any, words: str) -> None:
    assert rejected(hint) == words


@pytest.mark.parametrize(
    "hint", [time, timedelta, UUID, bytes, Annotated[str, WithJsonSchema({"type": "string", "format": "ipv4"})]]
)
def test_a_format_that_clients_do_not_know_is_rejected(hint: Any) -> None:
    assert rejected(hint) == "its format is one of email, uri, date, date-time"


@pytest.mark.parametrize(
    "option", [{"const": "a"}, {"const": 1, "title": "A"}, {"const": "a", "title": 1}, {"pattern": "a"}, "a"]
)
def test_a_choice_without_a_title_where_there_should_be_one_is_rejected(option: Any) -> None:
    hint = Annotated[str, WithJsonSchema({"type": "string", "oneOf": [option]})]

    assert rejected(hint) == "each choice has a const and a title, both of them texts"


def test_what_is_wrong_with_a_derived_form_is_said_of_that_one() -> None:
    with pytest.raises(TypeError, match=r"^Worse\.more cannot be asked for"):
        create_model("Worse", __base__=Address, more=(Place, ...))


def test_a_form_of_any_type_at_all_is_rejected() -> None:
    with pytest.raises(TypeError, match=r"Holder\.held cannot be asked for"):

        class Holder(Form, Generic[T]):
            held: T
