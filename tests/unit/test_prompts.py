"""Functions as prompts: text arguments, messages, and what is rejected at import."""

from collections.abc import Callable, Sequence
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from mcp_tasks import Context, EmbeddedResource, Image, Message, MissingCapability, Prompt, prompt
from mcp_tasks.authoring.errors import BadArguments, BadResult
from mcp_tasks.features.argument import Argument
from mcp_tasks.features.prompts import Prompts
from tests.unit.callables import CONTEXT
from tests.unit.contexts import Name, run_context
from tests.unit.library_types import number

HELLO = {"role": "user", "content": {"type": "text", "text": "Hello"}}


class Tone(Enum):
    """How to sound."""

    KIND = "kind"
    STERN = "stern"


@prompt()
def review(
    code: Annotated[str, Field(description="What to look at.")],
    tone: Tone,
    language: Literal["en", "de"] = "en",
    *,
    context: Context,
) -> list[str | Message]:
    """Review some code.

    As a colleague would.
    """
    return [f"{context.caller.subject} asks: {code}", Message("assistant", f"{tone.value} {language}")]


def messages(function: Callable[..., Any], **arguments: str) -> list[Any]:
    return prompt(name="made")(function).work.get(arguments, CONTEXT)


def returning(value: object) -> list[Any]:
    """Return the messages of a prompt that returns the value."""

    def give() -> Any:
        return value

    return messages(give)


def test_a_function_lends_its_name_its_docstring_and_its_arguments() -> None:
    assert (review.name, review.title) == ("review", None)
    assert review.description == "Review some code.\n\nAs a colleague would."
    assert review.arguments == (
        Argument(name="code", description="What to look at."),
        Argument(name="tone", description="How to sound."),
        Argument(name="language", required=False),
    )


def test_what_is_given_goes_before_what_is_lent() -> None:
    made = prompt(name="look", title="Look", description="Looks.")(review.work.function)

    assert (made.name, made.title, made.description) == ("look", "Look", "Looks.")


def test_a_prompt_is_still_the_plain_function() -> None:
    assert review("x", Tone.KIND, context=CONTEXT)[0] == "ada asks: x"


def test_texts_and_messages_are_messages_in_order() -> None:
    assert review.work.get({"code": "x", "tone": "stern"}, CONTEXT) == [
        {"role": "user", "content": {"type": "text", "text": "ada asks: x"}},
        {"role": "assistant", "content": {"type": "text", "text": "stern en"}},
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Hello", [HELLO]),
        (["Hello"], [HELLO]),
        (("Hello", "Hello"), [HELLO, HELLO]),
        ([], []),
        (Message("user", "Hello"), [HELLO]),
        ({"type": "text", "text": "Hello"}, [HELLO]),
        (Image(b""), [{"role": "user", "content": {"type": "image", "data": "", "mimeType": "image/png"}}]),
        (
            [EmbeddedResource("a://b", "x"), "Hello"],
            [{"role": "user", "content": {"type": "resource", "resource": {"uri": "a://b", "text": "x"}}}, HELLO],
        ),
        ("half \ud800", [{"role": "user", "content": {"type": "text", "text": "half ?"}}]),
    ],
)
def test_whatever_is_said_without_a_role_is_the_users(value: object, expected: list[Any]) -> None:
    assert returning(value) == expected


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            {"role": "user", "content": {"type": "text", "text": "x"}},
            "it is no message of a prompt: its type is one of",
        ),
        (
            [HELLO["content"], {"text": "x"}],
            r"it\[1\] is no message of a prompt: its type is one of text, .*, not None",
        ),
        ({"type": "text"}, "it is no message of a prompt: its text is a text, not None"),
        ({"type": "image", "data": "no base64!", "mimeType": "image/png"}, "it is no message of a prompt: .*base64"),
        ({"type": "resource", "resource": {"uri": "a", "text": ""}}, "it is no message of a prompt: 'a' is not a URI"),
        (5, "it is no message of a prompt: it is of type int, and not a str, an Image"),
        (None, "it is no message of a prompt: it is of type NoneType"),
        (["Hello", ["Hello"]], r"it\[1\] is no message of a prompt: it is of type list"),
        (b"Hello", "it is no message of a prompt: it is of type bytes"),
        (Message("user", [{"type": "text", "text": "x"}]), "it is no message of a prompt: it is of type list"),
        (Message("system", "x"), "it is no message of a prompt: the role of a message is user or assistant"),  # type: ignore[arg-type]
        (Image("x"), "it is no message of a prompt: its data is bytes, not str"),  # type: ignore[arg-type]
    ],
)
def test_a_value_that_is_no_message_is_rejected_with_its_place(value: object, words: str) -> None:
    with pytest.raises(BadResult, match=f"^{words}.*: return a str, .*, a Message"):
        returning(value)


def test_numbers_in_a_block_are_written_as_in_results() -> None:
    block = {"type": "text", "text": "Hello", "annotations": {"priority": number(1)}}

    assert returning(block) == [
        {"role": "user", "content": {"type": "text", "text": "Hello", "annotations": {"priority": 1}}}
    ]


def test_an_async_function_is_awaited() -> None:
    async def later(name: str) -> str:
        return name

    assert messages(later, name="Hello") == [HELLO]


def test_an_argument_arrives_as_it_was_annotated() -> None:
    def on(day: date) -> str:
        return f"{day:%d %B}"

    assert messages(on, day="2026-01-02")[0]["content"]["text"] == "02 January"


def test_a_prompt_may_ask_its_client() -> None:
    def ask(context: Context) -> str:
        return str(context.elicit("Who?", Name))

    with pytest.raises(MissingCapability):
        prompt()(ask).work.get({}, run_context(client_capabilities=frozenset()))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "code is missing; tone is missing"),
        ({"code": "x", "tone": "loud"}, "tone: Input should be 'kind' or 'stern', not \"loud\""),
        ({"code": "x", "tone": "kind", "language": "fr"}, "language: Input should be 'en' or 'de', not \"fr\""),
        ({"code": "x", "tone": "kind", "size": "7"}, "there is no size, only: code, tone, language"),
        ({"code": "x", "tone": "kind", "context": "x"}, "there is no context, only: code, tone, language"),
        ({"code": "\ud800", "tone": "kind"}, "the arguments hold a lone surrogate, which is not valid text"),
    ],
)
def test_arguments_that_do_not_fit_never_reach_the_function(arguments: dict[str, str], words: str) -> None:
    with pytest.raises(BadArguments) as rejected:
        review.work.get(arguments, CONTEXT)
    assert str(rejected.value) == words


@pytest.mark.parametrize(
    "hint",
    [
        int,
        float,
        bool,
        list[str],
        dict[str, str],
        str | None,
        str | int,
        Any,
        object,
        Literal[1],
        Literal["a", 1],
        Message,
    ],
)
def test_a_prompt_that_takes_anything_but_texts_is_rejected_at_import(hint: Any) -> None:
    def ask(name: Any) -> str:
        return str(name)

    ask.__annotations__["name"] = hint

    with pytest.raises(TypeError, match="ask: clients send texts, so name is a str or a Literal"):
        prompt()(ask)


def bare(name) -> str:  # type: ignore[no-untyped-def]  # what it is about
    return ""


def star(*names: str) -> str:
    return ""


@pytest.mark.parametrize(
    ("function", "words"), [(bare, "bare: annotate name"), (star, r"star: a tool names each argument; \*names")]
)
def test_a_prompt_that_no_client_could_fill_in_is_rejected_at_import(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        prompt()(function)


def made(*names: str) -> Sequence[Prompt]:
    return [prompt(name=name)(review.work.function) for name in names]


def test_prompts_are_listed_in_order_and_found_by_name() -> None:
    first, second = made("b", "a")
    prompts = Prompts([first, second])

    assert list(prompts) == [first, second]
    assert prompts.find("a") is second
    assert prompts.find("A") is None
    assert prompts.find("") is None
    assert prompts


def test_no_prompts_are_no_prompts() -> None:
    assert not Prompts()
    assert list(Prompts()) == []


def test_two_prompts_of_one_name_are_rejected() -> None:
    with pytest.raises(ValueError, match="two prompts are named a"):
        Prompts(made("a", "b", "a"))
