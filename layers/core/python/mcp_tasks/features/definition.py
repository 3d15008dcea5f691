"""Checks of what an author writes: each mistake raises, at import, a sentence that says what to write instead."""

from collections.abc import Iterable, Iterator, Mapping
from inspect import isasyncgenfunction, isgeneratorfunction
from types import ModuleType
from typing import Any, Final, TypeVar

from mcp_tasks.authoring.text import sendable
from mcp_tasks.authoring.wording import short

T = TypeVar("T")

HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
"""The annotations of a tool that are true or false.  -- 2025-11-25 and 2026-07-28, ToolAnnotations"""


def check_called(decorator: str, given: object, example: str) -> None:
    """Raise `TypeError` where a decorator was given the function itself, because its parentheses are missing."""
    if callable(given):
        raise TypeError(f"@{decorator} lacks its parentheses: write {example} above {_name(given)}")
    if given is not None:
        raise TypeError(f"@{decorator} takes keyword arguments only: write @{decorator}(name={given!r})")


def check_function(decorator: str, function: Any) -> None:
    """Raise `TypeError` unless what a decorator stands above is a function, and one that returns its result whole."""
    if isinstance(function, type) or not callable(function) or not hasattr(function, "__qualname__"):
        raise TypeError(f"@{decorator} stands above a function (def or async def), and {_name(function)} is none")
    if isgeneratorfunction(function) or isasyncgenfunction(function):
        raise TypeError(f"{_name(function)} is a generator: return all of the result, as a list for example")


def given(**settings: object) -> dict[str, object]:
    """Return the settings that an author made, of those that can be left out."""
    return {name: value for name, value in settings.items() if value is not None}


def check_texts(owner: object, **texts: object) -> None:
    """Raise `TypeError` for a text that is no `str`, and `ValueError` for one that is empty or cannot be sent."""
    for name, text in texts.items():
        if not isinstance(text, str):
            raise TypeError(f"{owner}: {name} is a text, not {text!r}")
        if name == "description" and not text.strip():
            raise ValueError(
                f"{owner} lacks a description: add a docstring that says what it does, by which models choose"
            )
        if not text.strip():
            raise ValueError(f"{owner}: {name} is empty: write one, or leave it out")
        if sendable(text) != text:
            raise ValueError(f"{owner}: {name} holds a lone surrogate, which cannot be sent")


def check_annotations(owner: str, annotations: object) -> None:
    """Raise `TypeError` for annotations that clients do not know, or would misread."""
    if not isinstance(annotations, Mapping):
        raise TypeError(f"{owner}: annotations is a dict, such as {{'readOnlyHint': True}}, not {annotations!r}")
    for name, value in annotations.items():
        if name == "title":
            check_texts(f"{owner}: annotations", title=value)
        elif name not in HINTS:
            raise TypeError(f"{owner}: there is no annotation {name!r}, only title, {', '.join(HINTS)}")
        elif not isinstance(value, bool):
            raise TypeError(f"{owner}: {name} is True or False, not {value!r}")


def listed_in(module: ModuleType, listed: str) -> Iterable[Any]:
    """Return a list such as TOOLS of a module; raises `TypeError` if it is none: it is read again and again."""
    given = getattr(module, listed, ())
    if not isinstance(given, list | tuple):
        raise TypeError(f"{listed} is a list, as in {listed} = [first, second], and not {_name(given)}")
    return given


def entries(listed: str, given: Iterable[T], kind: type[T], decorator: str) -> Iterator[T]:
    """Yield the entries of a list such as TOOLS; raises `TypeError` for one that is not what the list holds."""
    for each in given:
        if not isinstance(each, kind):
            raise TypeError(f"{listed} lists {_name(each)}, which is no {kind.__name__}{_hint(each, decorator)}")
        yield each


def _hint(given: object, decorator: str) -> str:
    if isinstance(given, ModuleType):
        return ", but a module: import from it what you list"
    if isinstance(given, list | tuple):
        return ", but a list: name each of its entries"
    return f": write {decorator} above it" if callable(given) and hasattr(given, "__qualname__") else ""


def _name(given: Any) -> str:
    return getattr(given, "__qualname__", None) or getattr(given, "__name__", None) or short(repr(given))
