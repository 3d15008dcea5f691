"""What a plan of a tenant may say, in `cdk.json` and in what an operator stores of one tenant."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp_tasks.limits.tenants import LEAST_PER_SECOND, MAX_OF_PLAN

DEFAULT: Final = "default"
"""The plan of tenants that have no other, and what other plans begin with."""


def check_plans(documents: Any) -> None:
    """Raise `ValueError`, whose text says what to write instead, unless these are plans by their names."""
    if not isinstance(documents, Mapping):
        raise ValueError(f'plans have names, such as {{"{DEFAULT}": {{"active_tasks": 9}}}}, unlike {documents!r}')
    for name, each in documents.items():
        check_plan(each, f"plan {name!r}")


def check_plan(given: Any, where: str) -> None:
    """Raise `ValueError`, which names the field, unless all fields of a plan are some that a plan can have."""
    if not isinstance(given, Mapping):
        raise ValueError(f"{where} is an object of fields, not {given!r}")
    for name, value in given.items():
        if name not in FIELDS:
            raise ValueError(f"{where} has a field {name!r}: there are {', '.join(FIELDS)}")
        fits, what = FIELDS[name]
        if not fits(value):
            raise ValueError(f"{where}: {name} is {what}, not {value!r}")


def _count(value: Any, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= MAX_OF_PLAN


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST_PER_SECOND <= value <= MAX_OF_PLAN


def _names(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) and each for each in value)


def _or_none(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


COUNT: Final = (_or_none(_count), "a whole number, or null for no limit")
POSITIVE: Final = (_or_none(lambda value: _count(value, 1)), "a whole number above 0, or null for no limit")
NAMES: Final = (_or_none(_names), "a list of names, or null for all")
FIELDS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "active_tasks": (_count, "a whole number"),
    "running_tasks": (_count, "a whole number"),
    "suspended_tasks": POSITIVE,
    "requests_per_second": (_or_none(_number), f"a number from {LEAST_PER_SECOND}, or null for no limit"),
    "burst": POSITIVE,
    "subject_share": (lambda value: _number(value) and value <= 1, "a part of 1, such as 0.5"),
    "held_waits": COUNT,
    "longest_ttl_seconds": POSITIVE,
    "arguments_bytes": COUNT,
    "result_bytes": POSITIVE,
    "sessions_per_day": COUNT,
    "keys_per_day": COUNT,
    "bytes_per_day": COUNT,
    "stored_bytes": POSITIVE,
    "tools": NAMES,
    "scopes": NAMES,
}
"""The fields that there are: what each takes, as a function and in words."""
