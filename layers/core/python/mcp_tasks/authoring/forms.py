"""Forms: pydantic models of flat fields, which a user fills in by form elicitation."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from mcp_tasks.authoring.descriptions import Described
from mcp_tasks.authoring.explain import explain
from mcp_tasks.authoring.form_fields import fault_of
from mcp_tasks.tasks.model import JSON

NULL: Final = {"type": "null"}


class Form(BaseModel):
    """The base class of forms: derive from it and annotate the fields.

    A field is a string, a number, a boolean, one of some choices (`Literal` or `Enum`, with `Titles` if you like) or a
    list of choices; with `| None` the user may leave it empty.  Clients show its default as filled in.
    -- 2025-11-25, Elicitation, Requested Schema
    """

    # JSON has no such numbers; but an integer of 400 digits would become one.
    model_config = ConfigDict(allow_inf_nan=False)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Raise `TypeError`, at import, for a field that the protocol's forms cannot have."""
        super().__pydantic_init_subclass__(**kwargs)
        for name, field in cls.requested_schema()["properties"].items():
            fault = fault_of(field) or cls._validation_error(name, field)
            if fault is not None:
                raise TypeError(f"{cls.__name__}.{name} cannot be asked for: {fault}")

    @classmethod
    @cache
    def requested_schema(cls) -> Mapping[str, Any]:
        """Return the form as the `requestedSchema` of an elicitation."""
        schema = cls.model_json_schema(schema_generator=Described)
        named = schema.get("$defs", {})
        fields = {name: _flat(_filled(field), named) for name, field in schema.get("properties", {}).items()}
        required = [name for name in schema.get("required", ()) if not _is_optional(schema["properties"][name])]
        return {"type": "object", "properties": fields, **({"required": required} if required else {})}

    @classmethod
    @cache
    def _left_empty(cls) -> Mapping[str, None]:
        """Return what is None unless the user fills it in, although the model has no default for it."""
        required = cls.model_json_schema().get("required", ())
        return dict.fromkeys(name for name in required if name not in cls.requested_schema().get("required", ()))

    @classmethod
    def filled_in(cls, content: Mapping[str, JSON]) -> Self:
        """Return an instance with the content that the user filled in; raises `ValueError` with what does not fit."""
        fields = cls.requested_schema()["properties"]
        # JSON has one type of numbers, and some clients write an integer as 3.0.
        whole = {name: int(value) for name, value in content.items() if _is_whole(value, fields.get(name))}
        try:
            return cls.model_validate_json(json.dumps({**cls._left_empty(), **content, **whole}), strict=True)
        except ValidationError as error:
            raise ValueError(explain(error, known=fields)) from error

    @classmethod
    def _validation_error(cls, name: str, field: Mapping[str, JSON]) -> str | None:
        """Return what is wrong with a default: a user who does not change it sends it back as it is."""
        if "default" not in field:
            return None
        try:
            cls.model_validate_json(json.dumps({name: field["default"]}), strict=True)
        except ValidationError as error:
            if any(detail["loc"][:1] == (name,) for detail in error.errors()):
                return "its default does not fit"
        return None


def _is_whole(value: JSON, field: Mapping[str, JSON] | None) -> bool:
    return field is not None and field["type"] == "integer" and isinstance(value, float) and value.is_integer()


def _is_optional(field: Mapping[str, Any]) -> bool:
    """Return whether the field may be None: a user leaves it empty, since no field of a form is null."""
    return NULL in field.get("anyOf", ())


def _filled(field: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field that is filled in: an optional one has that of its other type."""
    others = [choice for choice in field.get("anyOf", ()) if choice != NULL]
    if not _is_optional(field) or len(others) != 1:
        return field
    rest = {keyword: value for keyword, value in field.items() if keyword != "anyOf" and value is not None}
    return {**others[0], **rest}


def _flat(field: dict[str, Any], named: Mapping[str, Any]) -> dict[str, JSON]:
    """Return a field's schema without `$ref`, which clients need not resolve."""
    reference = field.pop("$ref", None)
    if reference is not None:
        field = named[reference.rpartition("/")[2]] | field
    if isinstance(field.get("items"), dict):
        field["items"] = _flat_choices(_flat(field["items"], named))
    if "const" in field:
        field["enum"] = [field.pop("const")]
    return field


def _flat_choices(choices: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the `items` of a list of choices as the protocol has them: titled ones in `anyOf`, not in `oneOf`."""
    if "oneOf" in choices:
        return {"anyOf": choices["oneOf"]}
    # The title and description of an Enum, which `items` has no field for.
    return {name: choices[name] for name in choices if name not in ("title", "description")}
