"""What users read in place of the choices of a form."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_tasks.tasks.model import JSON


@dataclass(frozen=True, slots=True)
class Titles:
    """Annotate choices with it: `size: Annotated[Literal["s", "l"], Titles({"s": "Small", "l": "Large"})]`.

    The choices of an Enum go by their values; those of a list are annotated within it, as `list[Annotated[...]]`.
    """

    titles: Mapping[str, str]

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> JSON:
        """Show the choices with their titles; raises `TypeError` where these are not those of the choices."""
        schema = dict(handler.resolve_ref_schema(handler(core_schema)))
        choices = schema.pop("enum", None) or [schema.pop("const", None)]
        if set(choices) != self.titles.keys():
            raise TypeError(f"there are titles for {sorted(self.titles)}, where the choices are {choices}")
        return schema | {"oneOf": [{"const": each, "title": self.titles[each]} for each in choices]}
