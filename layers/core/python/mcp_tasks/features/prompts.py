"""Prompts: plain functions that return messages for a user to start from, and the collection that holds them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import getdoc
from typing import Any, Protocol

from mcp_tasks.authoring.context import Context
from mcp_tasks.features.argument import Argument
from mcp_tasks.features.completion import Completer, CompletionContext
from mcp_tasks.tasks.model import JSON


class PromptWork(Protocol):
    """What a prompt does: a function seen through its signature, or what the catalogue knows of one."""

    @property
    def function(self) -> Callable[..., Any]:
        """The plain function."""

    def get(self, arguments: Mapping[str, JSON], context: Context) -> list[dict[str, JSON]]:
        """Return the messages in the protocol's words; raises `BadArguments` and whatever the function raises."""

    def complete(self, argument: str, typed: str, context: CompletionContext) -> list[str]:
        """Return what an argument could become."""

    def completed_by(self, argument: str, completer: Completer) -> None:
        """Let a function complete an argument; raises `TypeError` if there is no such argument."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A function that users may start from."""

    name: str
    description: str
    work: PromptWork
    arguments: tuple[Argument, ...] = field(default=())
    title: str | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the plain function, as its own tests would."""
        return self.work.function(*args, **kwargs)

    def complete(self, argument: str) -> Callable[[Completer], Completer]:
        """Let the function below complete an argument: it takes what was typed, and a `CompletionContext`.

        An argument that is a `Literal` or an `Enum` needs none.
        """

        def decorate(completer: Completer) -> Completer:
            self.work.completed_by(argument, completer)
            return completer

        return decorate


def prompt(
    *, name: str | None = None, title: str | None = None, description: str | None = None
) -> Callable[[Callable[..., Any]], Prompt]:
    """Make a prompt of the function below; its name and docstring are the prompt's unless given.

    Its arguments are texts.  It returns a text, a content, a `Message`, or a list of such.
    """
    # Saves pydantic, 50 ms, where the catalogue is read instead of the module.
    from mcp_tasks.features.functions import PromptFunction

    def decorate(function: Callable[..., Any]) -> Prompt:
        work = PromptFunction.of(function)
        return Prompt(
            name=name or function.__name__,
            title=title,
            description=description or getdoc(function) or "",
            arguments=work.arguments,
            work=work,
        )

    return decorate


class Prompts:
    """The prompts of a server, in the order in which they were listed."""

    def __init__(self, prompts: Iterable[Prompt] = ()) -> None:
        """Take the prompts; raises `ValueError` when two have one name."""
        self._prompts: dict[str, Prompt] = {}
        for each in prompts:
            if each.name in self._prompts:
                raise ValueError(f"two prompts are named {each.name}")
            self._prompts[each.name] = each

    def __iter__(self) -> Iterator[Prompt]:
        """Go through the prompts in order."""
        return iter(self._prompts.values())

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self._prompts)

    def find(self, name: str) -> Prompt | None:
        """Return the prompt of that name."""
        return self._prompts.get(name)
