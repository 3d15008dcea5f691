"""Checks of what an author writes: each mistake raises, at import, a sentence that says what to write instead."""

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")


def check_called(decorator: str, given: object, example: str) -> None:
    """Raise `TypeError` where a decorator was given the function itself, because its parentheses are missing."""
    if callable(given):
        raise TypeError(f"@{decorator} lacks its parentheses: write {example} above {_name(given)}")
    if given is not None:
        raise TypeError(f"@{decorator} takes keyword arguments only: write @{decorator}(name={given!r})")


def check_described(owner: str, description: str) -> None:
    """Raise `ValueError` for something without a description."""
    if not description.strip():
        raise ValueError(f"{owner} lacks a description: add a docstring that says what it does, by which models choose")


def entries(listed: str, given: Iterable[T], kind: type[T], decorator: str) -> Iterator[T]:
    """Yield the entries of a list such as TOOLS; raises `TypeError` for one that is not what the list holds."""
    for each in given:
        if not isinstance(each, kind):
            raise TypeError(f"{listed} lists {_name(each)}, which is no {kind.__name__}{_hint(each, decorator)}")
        yield each


def _hint(given: object, decorator: str) -> str:
    if isinstance(given, ModuleType):
        return ", but a module: import from it what you list"
    return f": write {decorator} above it" if callable(given) else ""


def _name(given: Any) -> str:
    return getattr(given, "__qualname__", None) or getattr(given, "__name__", None) or repr(given)
