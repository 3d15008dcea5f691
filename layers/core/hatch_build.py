"""Puts constructs, handlers and the lock into the wheel, as parts of the one package `mcp_tasks`, and the licence."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OWN_TO_AN_APP = (
    "infra/machines/",
    "infra/settings.py",
    "infra/stack.py",
    "infra/stage_stack.py",
    "infra/tool_access.py",
)


class WholeServer(BuildHookInterface[Any]):
    """Adds to the core what `make deploy` deploys with it, but for what an app writes itself."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add each file, called by hatchling before it builds the wheel."""
        core = Path(self.root)
        included = build_data["force_include"]
        included[str(core / "requirements.txt")] = "mcp_tasks/requirements.txt"
        template = core.parents[1]
        for file in (
            file for room in ("infra", "functions") for file in (template / room).rglob("*") if file.is_file()
        ):
            name = file.relative_to(template).as_posix()
            if "__pycache__" not in name and not name.startswith(OWN_TO_AN_APP):
                included[str(file)] = f"mcp_tasks/{name}"
        licences = {str(file): file.name for file in template.glob("LICENSE")}
        build_data["extra_metadata"] |= licences
