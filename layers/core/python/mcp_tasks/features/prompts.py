"""Prompts: functions that return the messages of `prompts/get`, and the prompts of a server."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import getdoc
from typing import Any, Protocol

from mcp_tasks.authoring.context import Context
from mcp_tasks.features.argument import Argument
from mcp_tasks.features.completion import Completer, CompletionContext
from mcp_tasks.features.definition import check_called, check_function, check_texts, entries, given
from mcp_tasks.security.scopes import check_scopes
from mcp_tasks.tasks.model import JSON


class PromptWork(Protocol):
    """The code of a prompt: a function with its signature, or an entry of the catalogue that imports it lazily."""

    @property
    def function(self) -> Callable[..., Any]:
        """The undecorated function, for tests that call it directly."""

    def get(self, arguments: Mapping[str, JSON], context: Context) -> list[dict[str, JSON]]:
        """Return the messages of `prompts/get`; raises `BadArguments` and whatever the function raises."""

    def complete(self, argument: str, typed: str, context: CompletionContext) -> list[str]:
        """Return suggested values for an argument."""

    def completed_by(self, argument: str, completer: Completer) -> None:
        """Register the completer of an argument; raises `TypeError` if there is no such argument."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A prompt as the server lists it; `scopes` are the OAuth scopes that a caller needs, all of them."""

    name: str
    description: str
    work: PromptWork
    arguments: tuple[Argument, ...] = field(default=())
    title: str | None = None
    scopes: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raise `TypeError` or `ValueError`, at import, for a text that clients cannot be sent."""
        check_texts(self.name, name=self.name, **given(title=self.title, description=self.description or None))
        check_scopes(self.name, self.scopes)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the undecorated function, as a unit test would."""
        return self.work.function(*args, **kwargs)

    def complete(self, argument: str) -> Callable[[Completer], Completer]:
        """Decorate the completer of an argument: a function of the typed text and a `CompletionContext`.

        An argument that is a `Literal` or an `Enum` is completed without one.
        """

        def decorate(completer: Completer) -> Completer:
            self.work.completed_by(argument, completer)
            return completer

        return decorate


def prompt(
    function: None = None,
    /,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    scopes: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Prompt]:
    """Decorate a function as a prompt; name and description default to those of the function and its docstring.

    Its arguments are text.  It returns a text, a content, a `Message`, or a list of these.
    """
    check_called("prompt", function, "@prompt()")
    # Saves pydantic, 50 ms, where the catalogue is read instead of the module.
    from mcp_tasks.features.functions import PromptFunction

    def decorate(function: Callable[..., Any]) -> Prompt:
        check_function("prompt", function)
        work = PromptFunction.of(function)
        return Prompt(
            name=name or function.__name__,
            title=title,
            description=description or getdoc(function) or "",
            arguments=work.arguments,
            work=work,
            scopes=scopes,
        )

    return decorate


class Prompts:
    """The prompts of a server, in the order in which they were listed."""

    def __init__(self, prompts: Iterable[Prompt] = ()) -> None:
        """Collect prompts; raises `TypeError` for what is none, and `ValueError` when two have the same name."""
        self._prompts: dict[str, Prompt] = {}
        for each in entries("PROMPTS", prompts, Prompt, "@prompt()"):
            if each.name in self._prompts:
                raise ValueError(f"two prompts are named {each.name}")
            self._prompts[each.name] = each

    def __iter__(self) -> Iterator[Prompt]:
        """Iterate over the prompts in the order in which they are listed."""
        return iter(self._prompts.values())

    def __bool__(self) -> bool:
        """Return whether the server has prompts."""
        return bool(self._prompts)

    def find(self, name: str) -> Prompt | None:
        """Return the prompt of that name, or None."""
        return self._prompts.get(name)
