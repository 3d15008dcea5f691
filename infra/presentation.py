"""How the server presents itself to clients and their users; shared with `make serve`, so free of CDK."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self

from mcp_tasks.limits.aws import MAX_PRESENTATION_BYTES

IMAGE: Final = re.compile(r"https://\S+|data:image/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+=*", re.IGNORECASE)
SIZE: Final = re.compile(r"any|[1-9][0-9]*x[1-9][0-9]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """The settings of a stage that clients are shown; empty ones are omitted."""

    instructions: str = ""
    server_title: str = ""
    server_description: str = ""
    server_website: str = ""
    server_icons: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def of(cls, stage: Mapping[str, Any]) -> Self:
        """Read those settings from a stage; raises `ValueError`."""
        return cls(**{each.name: stage[each.name] for each in fields(cls) if each.name in stage})

    def __post_init__(self) -> None:
        """Raise `ValueError` for what clients could not show; its text says what to write instead."""
        for name in ("instructions", "server_title", "server_description", "server_website"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name} is a text, not {getattr(self, name)!r}")
        if self.server_website and not self.server_website.startswith("https://"):
            raise ValueError(f"server_website is an https URL, not {self.server_website!r}")
        if not isinstance(self.server_icons, list | tuple):
            raise ValueError(f'server_icons is a list such as [{{"src": "https://..."}}]: not {self.server_icons!r}')
        for icon in self.server_icons:
            _check_icon(icon)
        size = sum(len(value.encode()) for value in self.variables.values())
        if size > MAX_PRESENTATION_BYTES:
            remedy = "shorten the instructions, or give icons as https URLs"
            raise ValueError(
                f"instructions and server_* take {size} bytes of {MAX_PRESENTATION_BYTES} that there are: {remedy}"
            )

    @property
    def about(self) -> dict[str, Any]:
        """Return the fields of the protocol's `Implementation`, beside name and version."""
        fields = {
            "title": self.server_title,
            "description": self.server_description,
            "websiteUrl": self.server_website,
            "icons": [dict(icon) for icon in self.server_icons],
        }
        return {name: value for name, value in fields.items() if value}

    @property
    def variables(self) -> dict[str, str]:
        """Return the environment variables of the functions that answer clients."""
        return {"INSTRUCTIONS": self.instructions, "SERVER_ABOUT": json.dumps(self.about, separators=(",", ":"))}


def _check_icon(icon: Mapping[str, Any]) -> None:
    if not isinstance(icon, Mapping) or "src" not in icon or icon.keys() - {"src", "mimeType", "sizes", "theme"}:
        raise ValueError(f"each of server_icons has src, and may have mimeType, sizes and theme: not {icon!r}")
    if not isinstance(icon["src"], str) or not IMAGE.fullmatch(icon["src"]):
        source = str(icon["src"])[:80]
        raise ValueError(f"the src of an icon is an https URL or data:image/png;base64,...: not {source!r}")
    if not isinstance(icon.get("mimeType", ""), str):
        raise ValueError(f'the mimeType of an icon is a text such as "image/png": not {icon["mimeType"]!r}')
    sizes = icon.get("sizes", [])
    if not isinstance(sizes, list) or not all(isinstance(each, str) and SIZE.fullmatch(each) for each in sizes):
        raise ValueError(f'the sizes of an icon are a list such as ["48x48", "any"]: not {sizes!r}')
    if icon.get("theme", "light") not in ("light", "dark"):
        raise ValueError(f'the theme of an icon is "light" or "dark": not {icon["theme"]!r}')
