"""Titles that a form shows for its choices."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_tasks.tasks.model import JSON


@dataclass(frozen=True, slots=True)
class Titles:
    """An annotation for choices: `size: Annotated[Literal["s", "l"], Titles({"s": "Small", "l": "Large"})]`.

    For an Enum the keys are its values; for a list annotate its items, as `list[Annotated[...]]`.
    """

    titles: Mapping[str, str]

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> JSON:
        """Add the titles to the choices' schema; raises `TypeError` unless each choice has one, and nothing else."""
        schema = dict(handler.resolve_ref_schema(handler(core_schema)))
        choices = schema.pop("enum", None) or [schema.pop("const", None)]
        if set(choices) != self.titles.keys():
            raise TypeError(f"there are titles for {sorted(self.titles)}, where the choices are {choices}")
        return schema | {"oneOf": [{"const": each, "title": self.titles[each]} for each in choices]}
