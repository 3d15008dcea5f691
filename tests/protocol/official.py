"""The protocol's own JSON schemas, the grammar of `_meta` keys, and which requests a client's capabilities allow.

Each revision's own `official` says which definition a message is validated by.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).parent / "schema"

LABEL = r"[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?"
META_KEY = re.compile(rf"({LABEL}(\.{LABEL})*/)?([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?")


class Schema:
    """One of the JSON schemas, by its file name without the extension."""

    def __init__(self, name: str) -> None:
        self.definitions: Mapping[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text())["$defs"]
        self._validator = cache(self._make_validator)

    def validate(self, value: Any, name: str) -> None:
        """Fail unless the value is valid by the schema's definition of this name."""
        self._validator(name).validate(value)

    def _make_validator(self, name: str) -> Draft202012Validator:
        return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": self.definitions})


def check_meta(holder: Mapping[str, Any]) -> None:
    """Fail unless the keys of `_meta` follow their grammar."""
    for key in holder.get("_meta", {}):
        assert META_KEY.fullmatch(key), f"no key for _meta: {key}"


def is_declared(method: str, params: Mapping[str, Any], capabilities: Mapping[str, Any]) -> bool:
    """Return whether a client with these capabilities may be sent this request."""
    elicitation, sampling = capabilities.get("elicitation"), capabilities.get("sampling")
    match method, params.get("mode"):
        case "elicitation/create", "url":
            return "url" in (elicitation or {})
        case "elicitation/create", _:
            return elicitation is not None and (not elicitation or "form" in elicitation)
        case "sampling/createMessage", _:
            return sampling is not None and ("tools" in sampling or not params.keys() & {"tools", "toolChoice"})
        case _:
            return method == "roots/list" and "roots" in capabilities
