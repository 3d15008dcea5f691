"""Completion: suggestions for the arguments of prompts and the variables of resource templates."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import TypeAlias

from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller


@record
class CompletionContext:
    """The caller, and the arguments that the user has filled in so far."""

    caller: Caller
    arguments: Mapping[str, str] = field(default_factory=dict)


Completer: TypeAlias = Callable[[str, CompletionContext], Iterable[str]]
"""Takes the text that was typed so far, and returns suggested values, the best first."""


@record
class Completers:
    """The completers of one prompt or resource; an argument without one is completed from its choices."""

    choices: Mapping[str, tuple[str, ...]]
    functions: dict[str, Completer] = field(default_factory=dict)

    def add(self, argument: str, completer: Completer) -> None:
        """Register the completer of an argument; raises `TypeError` if there is no such argument."""
        if argument not in self.choices:
            raise TypeError(f"there is no {argument} to complete, only: {', '.join(self.choices) or 'nothing'}")
        self.functions[argument] = completer

    def complete(self, argument: str, typed: str, context: CompletionContext) -> list[str]:
        """Return suggested values for an argument; raises `BadArguments` if there is no such argument."""
        if argument not in self.choices:
            raise BadArguments(f"there is no {argument} to complete, only: {', '.join(self.choices) or 'nothing'}")
        completer = self.functions.get(argument)
        if completer is not None:
            return list(completer(typed, context))
        return [choice for choice in self.choices[argument] if choice.startswith(typed)]
