"""Prompts and resources made of functions: their arguments and choices come from the signatures."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from mcp_tasks.authoring.contents import CONTENTS, Message, block_of, check_block
from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.authoring.result_values import as_json
from mcp_tasks.authoring.text import JsonString
from mcp_tasks.features.argument import Argument
from mcp_tasks.features.completion import Completer, Completers, CompletionContext
from mcp_tasks.features.signature import Signature
from mcp_tasks.records import record
from mcp_tasks.tasks.model import JSON


@record
class PromptFunction:
    """A `PromptWork` that is a function."""

    signature: Signature
    arguments: tuple[Argument, ...]
    completers: Completers

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Self:
        """Read a function's signature; raises `TypeError` if an argument is not text."""
        signature = Signature(function)
        fields = _texts(signature)
        required = signature.input_schema.get("required", ())
        return cls(
            signature=signature,
            arguments=tuple(
                Argument(name=name, description=field.get("description"), required=name in required)
                for name, field in fields.items()
            ),
            completers=_completers(fields),
        )

    @property
    def function(self) -> Callable[..., Any]:
        """The undecorated function, for tests that call it directly."""
        return self.signature.function

    def get(self, arguments: Mapping[str, JSON], context: Context) -> list[dict[str, JSON]]:
        """Return the messages of `prompts/get`; raises `BadArguments`, `BadResult` and what the function raises."""
        return messages_of(self.signature.run(arguments, context))

    def complete(self, argument: str, typed: str, context: CompletionContext) -> list[str]:
        """Return suggested values for an argument."""
        return self.completers.complete(argument, typed, context)

    def completed_by(self, argument: str, completer: Completer) -> None:
        """Register the completer of an argument."""
        self.completers.add(argument, completer)


@record
class ResourceFunction:
    """A `ResourceWork` that is a function."""

    signature: Signature
    completers: Completers

    @classmethod
    def of(cls, function: Callable[..., Any], variables: Sequence[str]) -> Self:
        """Read a function's signature; raises `TypeError` unless its arguments are these variables, as text."""
        signature = Signature(function)
        if sorted(signature.names.values()) != sorted(variables):
            raise TypeError(
                f"{function.__qualname__} takes the arguments {[*signature.names.values()]}, "
                f"and its URI has the variables {list(variables)}"
            )
        return cls(signature=signature, completers=_completers(_texts(signature)))

    @property
    def function(self) -> Callable[..., Any]:
        """The undecorated function, for tests that call it directly."""
        return self.signature.function

    def read(self, variables: Mapping[str, str], context: Context) -> Any:
        """Return the text, bytes or JSON that the function returns; raises `BadArguments`, `BadResult` and its own."""
        value = self.signature.run(variables, context)
        if isinstance(value, str | bytes):
            return value
        if isinstance(value, bytearray | memoryview):
            return bytes(value)
        written = as_json(value)
        return JsonString(written) if isinstance(written, str) else written

    def complete(self, variable: str, typed: str, context: CompletionContext) -> list[str]:
        """Return suggested values for a variable."""
        return self.completers.complete(variable, typed, context)

    def completed_by(self, variable: str, completer: Completer) -> None:
        """Register the completer of a variable."""
        self.completers.add(variable, completer)


def messages_of(value: Any) -> list[dict[str, JSON]]:
    """Return the messages that a function returned; a bare text or content becomes a message by the user.

    Raises `BadResult`, which names the item that is no message.
    """
    if isinstance(value, list | tuple):
        return [_message(each, f"it[{place}]") for place, each in enumerate(value)]
    return [_message(value, "it")]


def _message(value: Any, where: str) -> dict[str, JSON]:
    message = value if isinstance(value, Message) else Message("user", value)
    try:
        if isinstance(message.content, Mapping):
            block = as_json(message.content, where)
            check_block(block)
        else:
            block = block_of(message.content)
        # A message of a prompt has one block, and only one for sampling may have several.
        return Message(message.role, block).shown
    except (TypeError, ValueError) as error:
        hint = f"return {CONTENTS}, a Message(role, content), or a list of these"
        raise BadResult(f"{where} is no message of a prompt: {error}: {hint}") from error


def _texts(signature: Signature) -> Mapping[str, Mapping[str, JSON]]:
    signature.check_definition(lambda: signature.input_schema)
    schema = signature.input_schema
    fields: Mapping[str, Mapping[str, JSON]] = schema["properties"]
    for name, field in fields.items():
        if field.get("type") != "string":
            raise TypeError(f"{signature.function.__qualname__}: clients send texts, so {name} is a str or a Literal")
    return fields


def _completers(fields: Mapping[str, Mapping[str, JSON]]) -> Completers:
    return Completers(choices={name: _choices(field) for name, field in fields.items()})


def _choices(field: Mapping[str, JSON]) -> tuple[str, ...]:
    return tuple(field.get("enum") or ([field["const"]] if "const" in field else []))
