"""The annotation of what a function returns: the schema that clients are shown, and how a value becomes a result."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from typing import Any, Literal, NoReturn, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, RootModel, TypeAdapter, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticSerializationError, SchemaValidator, to_json
from typing_extensions import is_typeddict

from mcp_tasks.authoring.contents import Content, ToolResult
from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.descriptions import Described
from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.authoring.explain import explain
from mcp_tasks.authoring.result_values import blocks_of, has_content
from mcp_tasks.authoring.result_values import written as as_text
from mcp_tasks.authoring.text import sendable
from mcp_tasks.authoring.wording import quoted, short
from mcp_tasks.features.fitting import validator_of
from mcp_tasks.features.published import Schema, of_result
from mcp_tasks.features.results import content
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.tasks.model import JSON, Returned

LIST: str = "result"
"""The property that holds a list of models: structured content is an object.  -- 2025-11-25, CallToolResult"""

T = TypeVar("T")
Attempt: TypeAlias = tuple[Any, Literal["none", "error"]]


@dataclass(frozen=True)
class ReturnType:
    """The type that a function returns, by its annotation.

    An object is structured content, and so is a list of models.  All else is content: text, or images and their like.
    """

    hint: Any

    @cached_property
    def output_schema(self) -> Mapping[str, JSON] | None:
        """The JSON Schema of structured content, or None where the result is text."""
        match self._kind:
            case "object":
                return {"type": "object", **(self._schema or {})}
            case "list":
                schema = dict(self._schema or {})
                named = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
                return {"type": "object", "properties": {LIST: schema}, "required": [LIST], **named}
        if self._has_content:
            raise TypeError(f"a ToolResult has an object or a list of models beside its content, not {self.value_hint}")
        return None

    @property
    def needs_schema(self) -> bool:
        """Whether the author made a type of it, and so expects clients to be shown a schema."""
        kind = get_origin(self.value_hint) or self.value_hint
        if kind in get_args(Content):
            return False
        model = isinstance(kind, type) and issubclass(kind, BaseModel) and not issubclass(kind, RootModel)
        return self._has_content or model or is_dataclass(kind) or is_typeddict(kind)

    @property
    def value_hint(self) -> Any:
        """The type of what is written: of its structured content where the result has content beside it."""
        return (*get_args(self.hint), dict[str, Any])[0] if self._has_content else self.hint

    def returned(self, value: Any) -> Returned:
        """Return a value as a `CallToolResult`; raises `BadResult` for one that does not fit."""
        if isinstance(value, Context):
            # It is a dataclass, which would be written out: the caller's claims, and counters that have no end.
            raise BadResult(value.refusal("it"))
        if isinstance(value, Iterator):
            # It can be read once, and a value is checked before it is written.
            value = list(value)
        if isinstance(value, ToolResult):
            return self._with_content(value)
        structured = self.structure(value)
        if structured is None:
            return Returned(result=self._content(value))
        shown = structured[LIST] if self._kind == "list" else structured
        return Returned(result=content(to_json(shown).decode()) | {"structuredContent": structured})

    def structure(self, value: Any) -> JSON:
        """Return structured content that fits the schema, or None if the result is text; raises `BadResult`."""
        if self._kind == "text":
            return None
        try:
            # A dataclass has the names of its fields, and JSON their aliases.
            checked = self._checked.model_validate(value, by_alias=True, by_name=True).root
        except ValidationError as error:
            raise BadResult(self._reason(error)) from error
        # As it was returned, if nothing is to be converted: a dataclass made anew runs its `__post_init__` again.
        written = json.loads(self._fitting([(value, "error"), (checked, "none")]))
        return {LIST: written} if self._kind == "list" else written

    def _with_content(self, value: ToolResult[Any]) -> Returned:
        if not self._has_content:
            raise BadResult("it is a ToolResult: annotate the function as in -> ToolResult[Chart]")
        return Returned(result={"content": value.blocks, "structuredContent": self.structure(value.structured_content)})

    def _content(self, value: Any) -> dict[str, JSON]:
        if value is not None and (self._schema is None or has_content(value)):
            self._check_instance(value)
            return {"content": blocks_of(value)}
        text = "" if self._schema is None else self._fitting([(value, "error"), (value, "none")]).decode()
        if value is None:
            return {"content": []}
        return content(value if isinstance(value, str) else text)

    def _check_instance(self, value: Any) -> None:
        """Raise `BadResult` for a value of another type than annotated, of those that have no schema."""
        try:
            if self._adapter is not None:
                self._adapter.validate_python(value)
        except ValidationError as error:
            raise BadResult(self._reason(error)) from error

    def _fitting(self, attempts: Iterable[Attempt]) -> bytes:
        """Return the JSON of the first attempt that fits the schema which clients are shown; raises `BadResult`."""
        reason = ""
        for value, warnings in attempts:
            try:
                written = self._written(value, warnings)
                self._validator.validate_json(written)
            except (PydanticSerializationError, ValidationError) as error:
                reason = self._reason(error)
            else:
                return written
        raise BadResult(reason)

    def _written(self, value: Any, warnings: Literal["none", "error"]) -> bytes:
        assert self._adapter
        if isinstance(value, str):
            return to_json(sendable(value))
        # In a type that an author made, pydantic knows each value; elsewhere, this names an item that cannot be sent.
        plain = None if self.needs_schema else as_text(value).encode()
        try:
            written = self._adapter.dump_json(value, by_alias=True, warnings=warnings)
        except PydanticSerializationError:
            # This names the item that cannot be sent, which pydantic does not, and writes half a character.
            written = plain or self._rewritten(value, warnings)
        if self._kind == "object" and not written.startswith(b"{"):
            raise BadResult(f"it is written as {quoted(json.loads(written))}, and a structured result is an object")
        if self.needs_schema:
            # Pydantic writes NaN as null, and a number that is null breaks the schema.
            plain = self._adapter.dump_python(value, warnings="none")
            with suppress(PydanticSerializationError):
                constants = to_json(plain, inf_nan_mode="constants", bytes_mode="base64", fallback=str)
                json.loads(constants, parse_constant=_refuse_constant)
        return written

    def _rewritten(self, value: Any, warnings: Literal["none", "error"]) -> bytes:
        assert self._adapter
        as_text(value)
        return as_text(self._adapter.dump_python(value, mode="json", by_alias=True, warnings=warnings)).encode()

    def _reason(self, error: ValidationError | PydanticSerializationError) -> str:
        if isinstance(error, ValidationError):
            return explain(error, known=(self.output_schema or {}).get("properties", ()), whole="result")
        return short(str(error), MAX_LINE_CHARACTERS)

    @cached_property
    def _kind(self) -> Literal["object", "list", "text"]:
        if self._schema is None:
            return "text"
        shown = list(_alternatives(self._schema, self._schema))
        if [each.get("type", "object" if self.needs_schema else None) for each in shown] == ["object"]:
            return "object"
        if len(shown) == 1 and shown[0].get("type") == "array" and "items" in shown[0]:
            items = list(_alternatives(shown[0]["items"], self._schema))
            return "list" if all(each.get("type") == "object" and "properties" in each for each in items) else "text"
        return "text"

    @property
    def _has_content(self) -> bool:
        return ToolResult in (self.hint, get_origin(self.hint))

    @cached_property
    def _schema(self) -> Schema | None:
        """The schema of what is written, or None where a value of this type is no JSON."""
        if self._adapter is None or _mentions_content(self.value_hint):
            return None
        try:
            return of_result(self._adapter.json_schema(mode="serialization", schema_generator=_AsWritten))
        except Exception:
            if self.needs_schema:
                raise
            return None

    @cached_property
    def _adapter(self) -> TypeAdapter[Any] | None:
        try:
            return TypeAdapter(self.value_hint)
        except Exception:
            if self.needs_schema:
                raise
            return None

    @cached_property
    def _validator(self) -> SchemaValidator:
        return validator_of(self._schema or {})

    @cached_property
    def _checked(self) -> type[RootModel[Any]]:
        model: Any = _Checked
        return model[self.value_hint]  # type: ignore[no-any-return]  # a subclass of the model


class _Checked(RootModel[T]):
    """Checks the values of a dataclass, too: pydantic takes an instance as it is, whatever it holds."""

    model_config = ConfigDict(revalidate_instances="always")


class _AsWritten(Described):
    """Makes the schema of what is written: a serializer without a return annotation may write anything."""

    def ser_schema(self, schema: Any) -> JsonSchemaValue | None:
        """Return the schema of what a serializer writes."""
        made = super().ser_schema(schema)
        return {} if made is None and schema["type"] in ("function-plain", "function-wrap") else made


def _alternatives(schema: JSON, whole: Schema) -> Iterator[Schema]:
    """Yield the schemas of which a value fits one, without references."""
    if not isinstance(schema, dict):
        yield {}
    elif "$ref" in schema:
        yield from _alternatives(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    elif "anyOf" in schema:
        for each in schema["anyOf"]:
            yield from _alternatives(each, whole)
    else:
        yield schema


def _mentions_content(hint: Any) -> bool:
    return hint in get_args(Content) or any(map(_mentions_content, get_args(hint)))


def _refuse_constant(name: str) -> NoReturn:
    raise BadResult(f"it holds {name}, which is no number in JSON")
