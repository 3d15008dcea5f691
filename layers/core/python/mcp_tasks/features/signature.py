"""Reads a function's signature: the schemas of its arguments and its result, and how to call it."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints
from warnings import catch_warnings

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.descriptions import Described
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.authoring.explain import explain
from mcp_tasks.authoring.header import header_arguments
from mcp_tasks.features.published import of_arguments
from mcp_tasks.features.return_type import ReturnType
from mcp_tasks.features.schema_errors import check_fields, check_schemas
from mcp_tasks.limits.requests import MAX_WRITTEN_OUT_BYTES
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.json_values import whole
from mcp_tasks.tasks.model import JSON, Returned

PREFIX: Final = "parameter_"


@dataclass(frozen=True)
class Signature:
    """A function and its signature, as the code of a tool, a prompt or a resource."""

    function: Callable[..., Any]
    extra_arguments: str = "refuse"

    def __post_init__(self) -> None:
        """Raise `TypeError`, at import, for a parameter that no client could give, and `ValueError` for a setting."""
        if self.extra_arguments not in ("refuse", "ignore"):
            raise ValueError(
                f"{self.function.__qualname__}: extra_arguments is 'refuse' or 'ignore', not {self.extra_arguments!r}"
            )
        for name, parameter in self._parameters.items():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise TypeError(f"{self.function.__qualname__}: a tool names each argument; {parameter} does not")
            if parameter.annotation is parameter.empty and name in ("self", "cls"):
                raise TypeError(f"{self.function.__qualname__} is a method: write a function outside of the class")
            if parameter.annotation is parameter.empty:
                raise TypeError(
                    f"{self.function.__qualname__}: annotate {name}: its schema comes from there, "
                    "and the context is found by `context: Context`"
                )
            if isinstance(parameter.default, FieldInfo):
                raise TypeError(f"{self.function.__qualname__}: write {name}: Annotated[..., Field(...)]")

    @cached_property
    def input_schema(self) -> Mapping[str, JSON]:
        """The JSON Schema (2020-12) of the arguments, always of type object; raises `TypeError` for a bad `Header`."""
        schema = self._model.model_json_schema(schema_generator=Described)
        header_arguments(schema)
        return of_arguments(schema)

    @cached_property
    def output_schema(self) -> Mapping[str, JSON] | None:
        """The JSON Schema of a structured result, or None where the result is text."""
        return self._returns.output_schema

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Check the arguments and call the function; raises `BadArguments` and whatever the function raises."""
        return self.returned(self.run(arguments, context))

    def run(self, arguments: Mapping[str, JSON], context: Context) -> Any:
        """Check the arguments and return what the function returns; raises `BadArguments` and whatever it raises."""
        return self.invoke(self.check(arguments), context)

    def invoke(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return what the function returns to arguments that were checked; raises whatever it raises."""
        value = self.function(**arguments, **dict.fromkeys(self._contexts, context))
        if not inspect.iscoroutine(value):
            return value
        # Saves 20 ms of every cold start: few functions are coroutines.
        from mcp_tasks.features.coroutines import run

        return run(value)

    def check(self, arguments: Mapping[str, JSON]) -> dict[str, Any]:
        """Return the arguments as the function takes them; raises `BadArguments`."""
        try:
            model = self._read(arguments)
        except UnicodeEncodeError as error:
            raise BadArguments("the arguments hold a lone surrogate, which is not valid text") from error
        except ValidationError as error:
            raise BadArguments(explain(error, known=self.input_schema["properties"])) from error
        return {name: getattr(model, f"{PREFIX}{name}") for name in self.parameters}

    def _read(self, arguments: Mapping[str, JSON]) -> BaseModel:
        # Strictly, and as JSON: what the published schema rejects is rejected, and nothing is coerced.
        text = json.dumps(arguments, ensure_ascii=False).encode()
        try:
            return self._model.model_validate_json(text, strict=True)
        except ValidationError:
            again = _with_integers(text)
            if again == text:
                raise
            return self._model.model_validate_json(again, strict=True)

    def returned(self, value: Any) -> Returned:
        """Convert to a `CallToolResult` what the function or the tool's state machine returned; raises `BadResult`."""
        return self._returns.returned(value)

    def structure(self, value: Any) -> JSON:
        """Return structured content that fits the schema, or None if the result is text; raises `BadResult`."""
        return self._returns.structure(value)

    @cached_property
    def parameters(self) -> list[str]:
        """The names of the parameters that are arguments of a client: all but the `Context`."""
        return [name for name in self._parameters if name not in self._contexts]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of the arguments as clients give them, by parameter: `Field(alias="from")` may differ."""
        names = {name: _alias(self._hints[name]) or name for name in self.parameters}
        if not all(isinstance(alias, str) for alias in names.values()) or len(set(names.values())) < len(names):
            raise TypeError(f"{self.function.__qualname__}: the alias of a parameter is one text, and of no other one")
        return names

    @cached_property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters

    def check_definition(self, make: Callable[[], object]) -> None:
        """Raise `TypeError` for annotations of which `make` can make no JSON Schema, and for defaults that do not fit.

        A default is part of the schema that clients see, and reaches the function as it is.
        """
        name = self.function.__qualname__
        hints = {argument: self._hints[argument] for argument in self.parameters}
        if Caller in hints.values():
            raise TypeError(f"{name}: clients would say who calls: take `context: Context` and read context.caller")
        check_schemas(name, hints | ({"return": self._returns.value_hint} if self._returns.needs_schema else {}), make)
        check_fields(name, self._hints.get("return"))
        for argument, hint in hints.items():
            default = self._parameters[argument].default
            try:
                if default is not inspect.Parameter.empty and default is not ...:
                    self._check_default(hint, default)
            except ValidationError as error:
                why = "write ... | None" if default is None else explain(error, known=(), whole=argument)
                raise TypeError(f"{name}: the default of {argument} does not fit its annotation: {why}") from None

    def _check_default(self, hint: Any, default: Any) -> None:
        # Pydantic warns of the alias of an argument, which has no effect here.
        with catch_warnings(action="ignore", category=UserWarning):
            checked = TypeAdapter(hint)
        checked.validate_python(default, strict=True)

    @cached_property
    def _hints(self) -> Mapping[str, Any]:
        try:
            return get_type_hints(self.function, include_extras=True)
        except Exception as error:  # noqa: BLE001  # a text is evaluated, and anything may come of it
            raise TypeError(f"{self.function.__qualname__}: an annotation cannot be read: {error}") from None

    @cached_property
    def _contexts(self) -> frozenset[str]:
        # Also `Context | None`, so that unit tests of the function may leave it out.
        return frozenset(name for name in self._parameters if Context in _members(self._hints[name]))

    @cached_property
    def _model(self) -> type[BaseModel]:
        fields: dict[str, Any] = {}
        for name, alias in self.names.items():
            parameter = self._parameters[name]
            default = ... if parameter.default is parameter.empty else parameter.default
            # By alias, since a parameter may have the name of a model's own attribute, `json` or `copy` for example.
            fields[f"{PREFIX}{name}"] = (self._hints[name], Field(default, alias=alias))
        extra: Literal["ignore", "forbid"] = "ignore" if self.extra_arguments == "ignore" else "forbid"
        return create_model("Arguments", __config__=ConfigDict(extra=extra, allow_inf_nan=False), **fields)

    @cached_property
    def _returns(self) -> ReturnType:
        # Without an annotation, anything may be returned.
        return ReturnType(self._hints.get("return", object))


def _alias(hint: Any) -> Any:
    """Return the name that `Annotated[..., Field(alias=...)]` gives an argument, or None."""
    given = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, FieldInfo)]
    return next((each.validation_alias for each in reversed(given) if each.validation_alias), None)


def _with_integers(text: bytes) -> bytes:
    """Return arguments with 5.0 written as 5: to JSON Schema it is an integer, and some clients write it so."""
    # All of many numbers such as 1e300 would be a hundred times as long.
    most = inf if len(text) <= MAX_WRITTEN_OUT_BYTES else 2.0**63

    def number(written: str) -> JSON:
        found = float(written)
        return whole(found) if abs(found) <= most else found

    return json.dumps(json.loads(text, parse_float=number), ensure_ascii=False).encode()


def _members(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union or an `Annotated`, or the type itself."""
    return get_args(hint) if get_origin(hint) in (Annotated, Union, UnionType) else (hint,)
