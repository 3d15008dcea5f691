"""The protocol's own schemas, and the grammar of `_meta`; what they say of a message is the revisions' to ask."""

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
    """One of the schemas, by the name of its file."""

    def __init__(self, name: str) -> None:
        self._definitions = json.loads((SCHEMAS / f"{name}.schema.json").read_text())["$defs"]
        self._validator = cache(self._make_validator)

    def validate(self, value: Any, name: str) -> None:
        """Fail unless the value is what the schema defines by that name."""
        self._validator(name).validate(value)

    def _make_validator(self, name: str) -> Draft202012Validator:
        return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": self._definitions})


def check_meta(holder: Mapping[str, Any]) -> None:
    """Fail unless the keys of `_meta` keep to their grammar."""
    for key in holder.get("_meta", {}):
        assert META_KEY.fullmatch(key), f"no key for _meta: {key}"
