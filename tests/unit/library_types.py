"""Stand-ins for the types of numpy, pandas and polars, which no environment of this project has."""

from types import SimpleNamespace
from typing import Any


def value_of(library: str, name: str, **attributes: object) -> Any:
    """Return a value whose type has this module and name, with attributes; a function becomes a method."""
    methods = {each: staticmethod(given) if callable(given) else given for each, given in attributes.items()}
    return type(name, (), {"__module__": library, **methods})()


def index(kind: str, name: str | None = None) -> Any:
    """Return the index of a frame of pandas."""
    return SimpleNamespace(name=name, dtype=SimpleNamespace(kind=kind))


def frame(rows: Any, of: Any, *, is_unique: bool = True) -> Any:
    """Return a frame of pandas with these rows and this index."""
    columns = SimpleNamespace(is_unique=is_unique)
    return value_of("pandas.core.frame", "DataFrame", to_dict=lambda orient: rows, index=of, columns=columns)


def number(of: object, kind: str = "i") -> Any:
    """Return a number or an array of numpy."""
    return value_of("numpy", "int64", dtype=SimpleNamespace(kind=kind), tolist=lambda: of)
