"""Values of numpy, pandas and polars as Python's own: numbers, lists, and a dict for each row of a frame.

None of these libraries is imported here: they are known by the names of their types.
"""

from typing import Any, Final

PLAIN_KINDS: Final = "biufUO"
"""The kinds of numpy's types whose `tolist` returns what JSON has: no times, which it may return as numbers."""


def values_of(value: Any) -> Any:
    """Return a library's value as Python's own, and any other value itself.

    Raises `ValueError` for a value of pandas whose labels would be lost.
    """
    kind = type(value)
    match kind.__module__.partition(".")[0], kind.__name__:
        case "numpy", _ if getattr(getattr(value, "dtype", None), "kind", "") in PLAIN_KINDS:
            found = value.tolist()
            # A long double is one again.
            return value if type(found) is kind else found
        case "pandas", "NaTType" | "NAType":
            return None
        case "pandas", "DataFrame":
            _check_labels(value)
            return value.to_dict("records")
        case "pandas", "Series":
            _check_labels(value)
            return value.tolist()
        case "polars", "DataFrame":
            return value.to_dicts()
        case "polars", "Series":
            return value.to_list()
    return value


def _check_labels(value: Any) -> None:
    """Raise `ValueError` for an index that does more than count the rows, and for two columns of one name."""
    if value.index.name is not None or getattr(value.index.dtype, "kind", "") not in ("i", "u"):
        raise ValueError("its index would be lost: make it a column by reset_index()")
    if hasattr(value, "columns") and not value.columns.is_unique:
        raise ValueError("two of its columns have one name")
