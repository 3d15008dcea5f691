"""Which cases of a long table every run tries; the others are marked `slow`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import pytest

T = TypeVar("T")
Marks = Sequence[pytest.MarkDecorator]


def one_in(number: int, cases: Iterable[T]) -> Iterator[tuple[T, Marks]]:
    """Return each case with its marks: all are slow but the first, and every so many after it."""
    for place, case in enumerate(cases):
        yield case, (pytest.mark.slow,) if place % number else ()


def one_of(ways: Iterable[T], number: int) -> Iterator[tuple[T, Marks]]:
    """Return each way of doing the same with its marks: all are slow but one, which `number` chooses in turn."""
    listed = list(ways)
    for place, way in enumerate(listed):
        yield way, () if place == number % len(listed) else (pytest.mark.slow,)
