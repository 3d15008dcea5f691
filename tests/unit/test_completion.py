"""Completion of an argument: by the author's function, or by the choices of its type."""

from collections.abc import Iterable
from enum import Enum
from typing import Any, Literal

import pytest

from mcp_tasks import CompletionContext, prompt, resource
from mcp_tasks.authoring.errors import BadArguments, ToolError
from mcp_tasks.features.completion import Completers
from tests.kit import ADA, EVE

TYPING = CompletionContext(caller=ADA, arguments={"country": "at"})


class Colour(Enum):
    RED = "red"
    ROSE = "rose"
    BLUE = "blue"


@prompt()
def paint(colour: Colour, style: Literal["oil", "ink"], frame: Literal["oak"] = "oak", title: str = "") -> str:
    """Paint."""
    return f"{colour} {style} {frame} {title}"


@resource("city://{country}/{city}")
def city(country: Literal["at", "ch"], city: str) -> str:
    """Describe a city."""
    return f"{country} {city}"


@city.complete("city")
def cities(typed: str, context: CompletionContext) -> Iterable[str]:
    """Suggest cities, the best first."""
    known = {"at": ["Wien", "Graz", "Wels"], "ch": ["Bern"]}
    return (name for name in known[context.arguments["country"]] if name.startswith(typed))


def completed(of: Any, argument: str, typed: str, context: CompletionContext = TYPING) -> list[str]:
    found: list[str] = of.work.complete(argument, typed, context)
    return found


@pytest.mark.parametrize(
    ("argument", "typed", "expected"),
    [
        ("colour", "", ["red", "rose", "blue"]),
        ("colour", "r", ["red", "rose"]),
        ("colour", "red", ["red"]),
        ("colour", "reddish", []),
        ("colour", "R", []),
        ("style", "", ["oil", "ink"]),
        ("style", "i", ["ink"]),
        ("frame", "", ["oak"]),
        ("frame", "ash", []),
        ("title", "", []),
        ("title", "The ", []),
    ],
)
def test_choices_complete_themselves_and_free_text_does_not(argument: str, typed: str, expected: list[str]) -> None:
    assert completed(paint, argument, typed) == expected


def test_a_variable_is_completed_as_an_argument_is() -> None:
    assert completed(city, "country", "a") == ["at"]


def test_a_function_completes_with_what_was_filled_in_before() -> None:
    assert completed(city, "city", "W") == ["Wien", "Wels"]
    assert completed(city, "city", "", CompletionContext(caller=ADA, arguments={"country": "ch"})) == ["Bern"]


def test_a_function_completes_instead_of_the_choices() -> None:
    @prompt()
    def pick(colour: Colour) -> str:
        return str(colour)

    @pick.complete("colour")
    def suggest(typed: str, context: CompletionContext) -> list[str]:
        return [f"{context.caller.subject}'s {typed}"]

    assert completed(pick, "colour", "re") == ["ada's re"]
    assert completed(pick, "colour", "re", CompletionContext(caller=EVE)) == ["eve's re"]


def test_a_completer_is_still_the_plain_function() -> None:
    assert list(cities("G", TYPING)) == ["Graz"]


@pytest.mark.parametrize(
    ("of", "argument", "words"),
    [
        (paint, "size", "there is no size to complete, only: colour, style, frame, title"),
        (paint, "", "there is no  to complete"),
        (city, "street", "there is no street to complete, only: country, city"),
    ],
)
def test_an_argument_that_is_not_there_is_not_completed(of: Any, argument: str, words: str) -> None:
    with pytest.raises(BadArguments, match=words):
        completed(of, argument, "")


@pytest.mark.parametrize("of", [paint, city])
def test_a_completer_of_an_argument_that_is_not_there_is_rejected_at_import(of: Any) -> None:
    with pytest.raises(TypeError, match="there is no colou to complete, only: co"):
        of.complete("colou")(lambda typed, context: [])


def test_where_there_is_nothing_to_fill_in_there_is_nothing_to_complete() -> None:
    with pytest.raises(TypeError, match="there is no a to complete, only: nothing"):
        Completers(choices={}).add("a", lambda typed, context: [])
    with pytest.raises(BadArguments, match="there is no a to complete, only: nothing"):
        Completers(choices={}).complete("a", "", TYPING)


def test_what_a_completer_rejects_is_its_own() -> None:
    @prompt()
    def ask(name: str) -> str:
        return name

    @ask.complete("name")
    def refuse(typed: str, context: CompletionContext) -> list[str]:
        raise ToolError("The directory is closed.")

    with pytest.raises(ToolError, match="The directory is closed"):
        completed(ask, "name", "")


def test_a_prompt_has_completers_of_its_own() -> None:
    first, second = (prompt(name=name)(paint.work.function) for name in ("first", "second"))
    first.complete("title")(lambda typed, context: ["Dawn"])

    assert (completed(first, "title", ""), completed(second, "title", "")) == (["Dawn"], [])
