"""Checks the kind of a setting, and writes the sentence for one of another kind; for `make serve`, too: free of CDK."""

import json
from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin

NAMES: Final[Mapping[Any, tuple[str, tuple[type, ...]]]] = {
    str: ("a text", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
    Sequence: ("a list", (list, tuple)),
    **dict.fromkeys([Mapping, dict], ("an object", (Mapping,))),
}
"""The name of each kind in JSON, and the Python types of its values."""


def check_kind(name: str, kind: Any, value: object) -> None:
    """Raise `ValueError` unless a value is of the kind that the type of its setting says."""
    kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    if value is None and NoneType in kinds:
        return
    (wanted,) = (get_origin(each) or each for each in kinds if each is not NoneType)
    called, types = NAMES[wanted]
    # To Python, true is the number 1.
    if not isinstance(value, types) or (isinstance(value, bool) and wanted is not bool):
        raise ValueError(f"{name} is {called}, not {json.dumps(value, default=repr)}")
