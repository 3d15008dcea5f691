"""A record is what a frozen dataclass with slots is to the type checker, and generates nothing but how it is made."""

import dataclasses
import re
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from mcp_tasks.records import record


@record
class Point:
    x: int
    y: int = 2
    secret: str = field(default="s", repr=False)
    seen: list[int] = field(default_factory=list, compare=False)


@record
class Point3(Point):
    z: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    x: int
    y: int = 2
    secret: str = field(default="s", repr=False)
    seen: list[int] = field(default_factory=list, compare=False)


@record
class Named:
    x: int

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "named"


def test_records_are_equal_by_what_is_compared() -> None:
    assert Point(x=1) == Point(x=1, seen=[9])
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Point(x=1, secret="t")
    assert len({Point(x=1), Point(x=1, seen=[9]), Point(x=2)}) == 2


def test_records_of_two_classes_are_never_equal() -> None:
    others: list[Any] = [Point3(x=1), Standard(x=1), (1, 2, "s"), None]

    assert all(Point(x=1) != other for other in others)
    assert Point3(x=1, z=3) == Point3(x=1)
    assert Point3(x=1, z=4) != Point3(x=1)


def test_a_record_is_shown_without_what_is_hidden() -> None:
    assert repr(Point(x=1)) == repr(Standard(x=1)).replace("Standard", "Point") == "Point(x=1, y=2, seen=[])"
    assert repr(Point3(x=1)) == "Point3(x=1, y=2, seen=[], z=3)"


def test_a_record_that_holds_itself_can_be_shown() -> None:
    held: list[Any] = []
    held.append(Point(x=1, seen=held))

    assert "..." in repr(held[0])


def test_a_record_is_slotted_and_made_by_names_and_replaced_as_others_are() -> None:
    made: Any = Point(x=1)

    with pytest.raises(TypeError):
        Point(1)  # type: ignore[call-arg]
    assert not hasattr(made, "__dict__")
    assert replace(made, x=5) == Point(x=5)
    assert [each.name for each in dataclasses.fields(made)] == [each.name for each in dataclasses.fields(Standard)]


def test_a_class_that_says_how_it_is_compared_keeps_that() -> None:
    assert (Named(x=1) == Named(x=2), hash(Named(x=1)), repr(Named(x=1))) == (True, 7, "named")


def test_the_type_checker_keeps_a_record_from_being_changed() -> None:
    """mypy fails where a comment ignores no error, and so does this where it would let a record be changed."""
    made = Point(x=1)

    made.x = 2  # type: ignore[misc]


def test_a_record_generates_one_method(monkeypatch: pytest.MonkeyPatch) -> None:
    generated = list[str]()

    def noted(*values: Any) -> None:
        generated.append(values[0])
        exec(*values)

    monkeypatch.setattr(dataclasses, "exec", noted, raising=False)

    def methods(decorate: Any) -> set[str]:
        generated.clear()
        decorate(type("Made", (), {"__annotations__": {"x": int}}))
        return {name for text in generated for name in re.findall(r"^ +def (\w+)\(", text, re.MULTILINE)}

    assert methods(record) == {"__init__"}
    assert len(methods(dataclass(frozen=True, slots=True, kw_only=True))) == 6
