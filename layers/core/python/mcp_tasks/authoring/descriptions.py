"""Descriptions of fields: `Annotated[str, "The customer's name."]` says the same as `Field(description=...)`."""

from collections.abc import Iterable, Iterator
from typing import Any, get_type_hints

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue


class Described(GenerateJsonSchema):
    """Makes schemas in which a text beside a type describes the field, as many write it; pydantic drops it."""

    def model_schema(self, schema: Any) -> JsonSchemaValue:
        """Return the schema of a model, or of a function's arguments."""
        return _described(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: Any) -> JsonSchemaValue:
        """Return the schema of a dataclass."""
        return _described(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
        """Return the schema of a `TypedDict`."""
        return _described(super().typed_dict_schema(schema), schema.get("cls"))


def _described(made: JsonSchemaValue, kind: Any) -> JsonSchemaValue:
    fields = made.get("properties", {})
    for names, text in _texts(kind):
        for name in names & fields.keys():
            # Beside a `$ref`, too: what it refers to may describe the type, and the text describes the field.
            fields[name].setdefault("description", text)
    return made


def _texts(kind: Any) -> Iterator[tuple[set[Any], str]]:
    """Yield the names that a field may have in JSON, and its text."""
    for name, field in getattr(kind, "model_fields", {}).items():
        names: set[Any] = {name, field.alias, field.validation_alias, field.serialization_alias}
        yield from ((names, text) for text in _first_text(field.metadata))
    if kind is not None and not hasattr(kind, "model_fields"):
        try:
            hints = get_type_hints(kind, include_extras=True)
        except Exception:  # noqa: BLE001  # a text is evaluated, and pydantic has more to evaluate it by
            return
        for name, hint in hints.items():
            yield from (({name}, text) for text in _first_text(getattr(hint, "__metadata__", ())))


def _first_text(metadata: Iterable[object]) -> list[str]:
    return [each for each in metadata if isinstance(each, str)][:1]
