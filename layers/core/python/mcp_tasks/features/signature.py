"""Reads a function's signature: the schemas of its arguments and its result, and how to call it."""

import inspect
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from types import UnionType
from typing import Annotated, Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_json
from typing_extensions import is_typeddict

from mcp_tasks.authoring.contents import Content, blocks_of
from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.errors import BadArguments, BadResult
from mcp_tasks.authoring.explain import explain
from mcp_tasks.authoring.header import header_arguments
from mcp_tasks.authoring.wording import quoted, short
from mcp_tasks.features.results import content
from mcp_tasks.features.schema_errors import check_fields, check_schemas
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Returned

T = TypeVar("T")


@dataclass(frozen=True)
class Signature:
    """A function and its signature, as the code of a tool, a prompt or a resource."""

    function: Callable[..., Any]

    def __post_init__(self) -> None:
        """Raise `TypeError`, at import, for a parameter that no client could give."""
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
        schema = _without_titles(self._model.model_json_schema())
        header_arguments(schema)
        return schema

    @cached_property
    def output_schema(self) -> Mapping[str, JSON] | None:
        """The JSON Schema of a structured result, or None where the result is text."""
        if self._result is None:
            return None
        # The schema of a recursive model is a bare $ref, and the protocol requires type "object" at the top.
        return {"type": "object", **_without_titles(self._result.json_schema(mode="serialization"))}

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
            # Strictly, and as JSON: what the published schema rejects is rejected, and nothing is coerced.
            text = json.dumps(arguments, ensure_ascii=False).encode()
            model = self._model.model_validate_json(text, strict=True)
        except UnicodeEncodeError as error:
            raise BadArguments("the arguments hold a lone surrogate, which is not valid text") from error
        except ValidationError as error:
            raise BadArguments(explain(error, known=self.input_schema["properties"])) from error
        return {str(field.alias): getattr(model, name) for name, field in type(model).model_fields.items()}

    def returned(self, value: Any) -> Returned:
        """Convert to a `CallToolResult` what the function or the tool's state machine returned; raises `BadResult`."""
        structured = self.structure(value)
        if structured is not None:
            return Returned(result=content(to_json(structured).decode()) | {"structuredContent": structured})
        if value is None:
            return Returned(result={"content": []})
        if isinstance(value, Context):
            # It is a dataclass, which would be written out: the caller's claims, and counters that have no end.
            raise BadResult("it is the context of the call, which is no result")
        blocks = blocks_of(value)
        if blocks is not None:
            return Returned(result={"content": blocks})
        text = value if isinstance(value, str) else to_json(value, fallback=str, inf_nan_mode="null").decode()
        return Returned(result=content(text))

    def structure(self, value: Any) -> JSON:
        """Return a structured result as JSON that fits the schema, or None if results are not structured.

        Raises `BadResult` for a value that does not fit the function's return annotation.
        """
        if self._result is None:
            return None
        try:
            # A dataclass has the names of its fields, and JSON their aliases.
            checked = self._checked.model_validate(value, by_alias=True, by_name=True).root
            # As it was returned, if nothing is to be converted: a dataclass made anew runs its `__post_init__` again.
            for each in (value, checked):
                with suppress(PydanticSerializationError):
                    return self._written(each, warnings="error")
            written = self._written(checked, warnings="none")
            # A model may have been changed after it was made, which only its JSON shows.
            self._result.validate_json(json.dumps(written), strict=True, by_alias=True)
        except ValidationError as error:
            known = (self.output_schema or {}).get("properties", ())
            raise BadResult(explain(error, known=known, whole="result")) from error
        except PydanticSerializationError as error:
            raise BadResult(short(str(error), MAX_LINE_CHARACTERS)) from error
        return written

    def _written(self, value: Any, *, warnings: Literal["none", "error"]) -> JSON:
        assert self._result
        written = json.loads(self._result.dump_json(value, by_alias=True, warnings=warnings))
        if not isinstance(written, dict):
            raise BadResult(f"it is written as {quoted(written)}, and a structured result is an object")
        # Pydantic writes NaN as null, and a number that is null breaks the schema.
        plain = to_json(self._result.dump_python(value, warnings="none"), inf_nan_mode="constants", fallback=str)
        json.loads(plain, parse_constant=_refuse_constant)
        return written

    @cached_property
    def parameters(self) -> list[str]:
        """The names of the parameters that are arguments of a client: all but the `Context`."""
        return [name for name in self._parameters if name not in self._contexts]

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
        check_schemas(name, hints | ({"return": self._hints["return"]} if self._is_structured else {}), make)
        check_fields(name, self._hints.get("return"))
        for argument, hint in hints.items():
            default = self._parameters[argument].default
            try:
                if default is not inspect.Parameter.empty and default is not ...:
                    TypeAdapter(hint).validate_python(default, strict=True)
            except ValidationError as error:
                why = "write ... | None" if default is None else explain(error, known=(), whole=argument)
                raise TypeError(f"{name}: the default of {argument} does not fit its annotation: {why}") from None

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
        for name in self.parameters:
            parameter = self._parameters[name]
            default = ... if parameter.default is parameter.empty else parameter.default
            # By alias, since a parameter may have the name of a model's own attribute, `json` or `copy` for example.
            fields[f"parameter_{name}"] = (self._hints[name], Field(default, alias=name))
        return create_model("Arguments", __config__=ConfigDict(extra="forbid", allow_inf_nan=False), **fields)

    @cached_property
    def _result(self) -> TypeAdapter[Any] | None:
        return TypeAdapter(self._hints["return"]) if self._is_structured else None

    @property
    def _is_structured(self) -> bool:
        hint: Any = self._hints.get("return")
        if hint in get_args(Content):
            return False
        model = isinstance(hint, type) and issubclass(hint, BaseModel) and not issubclass(hint, RootModel)
        return model or is_dataclass(hint) or is_typeddict(hint)

    @cached_property
    def _checked(self) -> type[RootModel[Any]]:
        model: Any = _Checked
        return model[self._hints["return"]]  # type: ignore[no-any-return]  # a subclass of the model


def _members(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union or an `Annotated`, or the type itself."""
    return get_args(hint) if get_origin(hint) in (Annotated, Union, UnionType) else (hint,)


class _Checked(RootModel[T]):
    """Checks the values of a dataclass, too: pydantic takes an instance as it is, whatever it holds."""

    model_config = ConfigDict(revalidate_instances="always")


def _refuse_constant(name: str) -> NoReturn:
    raise BadResult(f"it holds {name}, which is no number in JSON")


def _without_titles(schema: dict[str, JSON]) -> dict[str, JSON]:
    # Pydantic adds each property's name as its title: tokens that a model pays for in every list.
    schema.pop("title", None)
    for keyword, part in schema.items():
        # Only in subschemas: a default or an example may have a field that is called title.
        if keyword in ("properties", "patternProperties", "$defs"):
            parts = list(part.values())
        elif keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
            parts = part
        elif keyword in ("items", "additionalProperties", "propertyNames"):
            parts = [part]
        else:
            continue
        for each in parts:
            if isinstance(each, dict):
                _without_titles(each)
    return schema
