"""A mistake in the definition of a tool, a prompt or a resource is told at import, with what to write instead."""

import re
import sys
import typing
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

import mcp_tasks
from mcp_tasks import Context
from mcp_tasks.features.listing import Features
from mcp_tasks.limits.waits import LONGEST_POLL_INTERVAL

# What is tested here is wrong for a type checker, too.
tool: Any = mcp_tasks.tool
prompt: Any = mcp_tasks.prompt
resource: Any = mcp_tasks.resource
features_of: Any = Features.of


class Engine:
    """A class of which pydantic knows nothing."""


@dataclass
class Car:
    engine: Engine


class Row(typing.TypedDict):
    cell: int


def report(year: str) -> str:
    """Return the report of a year."""
    return year


def start(engine: Engine) -> str:
    """Start an engine."""
    return str(engine)


def callback(call: Callable[[int], str]) -> str:
    """Call back."""
    return call(1)


def build() -> Car:
    """Build a car."""
    return Car(Engine())


def row() -> Row:
    """Return a row."""
    return Row(cell=1)


@dataclass
class Table:
    rows: list[Row]


def table() -> Table:
    """Return a table."""
    return Table([])


def count(rows: list[Row]) -> int:
    """Count rows."""
    return len(rows)


def lost(place: "Nowhere") -> str:  # type: ignore[name-defined]  # noqa: F821
    """Go to a place that is defined nowhere."""
    return str(place)


def years() -> Iterator[str]:
    """Yield years."""
    yield "2025"


async def later_years() -> AsyncIterator[str]:
    """Yield years."""
    yield "2026"


def bare(context):  # type: ignore[no-untyped-def]
    """Know of the call."""


class Archive:
    """A class whose author took a method for a tool."""

    def find(self, year: str) -> str:
        """Find a report."""
        return year


@dataclass
class Bill:
    net: int
    gross: int = field(init=False)

    def __post_init__(self) -> None:
        self.gross = self.net * 2


def bill() -> Bill:
    """Return a bill."""
    return Bill(1)


def undescribed() -> str:
    return ""


@pytest.mark.parametrize(
    ("define", "says"),
    [
        (lambda: tool(report), "@tool lacks its parentheses: write @tool() above report"),
        (lambda: prompt(report), "@prompt lacks its parentheses: write @prompt() above report"),
        (lambda: resource(report), '@resource lacks its parentheses: write @resource("report://{year}") above report'),
        (lambda: tool()(start), "start: engine is annotated Engine, which has no JSON Schema: use str, int, "),
        (lambda: tool()(callback), "callback: call is annotated collections.abc.Callable[[int], str], which has no"),
        (lambda: tool()(build), "build: what it returns is annotated Car, which has no JSON Schema"),
        (lambda: tool()(lost), "lost: an annotation cannot be read: name 'Nowhere' is not defined"),
        (lambda: tool()(bill), "bill: clients would not get gross of what it returns: give it a default, as in field("),
        (lambda: tool()(undescribed), "undescribed lacks a description: add a docstring that says what"),
        (lambda: tool(timeout=60)(report), "report: timeout is a timedelta, such as timedelta(seconds=10), not 60"),
        (lambda: tool(ttl="1 day")(report), "report: ttl is a timedelta, such as timedelta(seconds=10), not '1 day'"),
        (
            lambda: tool(handle_after=timedelta(-1))(report),
            "report: handle_after cannot be negative, as -1 day, 0:00:00 is",
        ),
        (lambda: tool(timeout=None)(report), "report: timeout is a timedelta, such as timedelta(seconds=10), not None"),
        (lambda: tool(timeout=timedelta())(report), "report: nothing can be done within a timeout of 0:00:00"),
        (lambda: tool(ttl=timedelta.max)(report), "report: ttl can be 36,500 days at most, not 999999999 days"),
        (
            lambda: tool(poll_interval=LONGEST_POLL_INTERVAL + timedelta(seconds=1))(report),
            "report: poll_interval can be 0:05:00 at most, since an outcome may be kept no longer, not 0:05:01",
        ),
        (lambda: tool(machine="m", timeout=timedelta.max)(report), "report: timeout can be 36,500 days at most"),
        (lambda: tool(name=3)(report), "3 is no name for a tool: use 1 to 128 of A-Z a-z 0-9 _ - ."),
        (lambda: tool(title="")(report), "report: title is empty: write one, or leave it out"),
        (lambda: tool(title=["T"])(report), "report: title is a text, not ['T']"),
        (lambda: tool(description=3)(report), "report: description is a text, not 3"),
        (
            lambda: tool(description="\ud800")(report),
            "report: description holds a lone surrogate, which cannot be sent",
        ),
        (lambda: tool(machine=None)(report), "report: machine is a text, not None"),
        (lambda: tool(immediate_response=3)(report), "report: immediate_response is a text, not 3"),
        (lambda: tool(starts_inline="no")(report), "report: starts_inline is True or False, not 'no'"),
        (lambda: tool(annotations=["readOnlyHint"])(report), "annotations is a dict, such as {'readOnlyHint': True}"),
        (
            lambda: tool(annotations={"readonly": True})(report),
            "report: there is no annotation 'readonly', only title,",
        ),
        (lambda: tool(annotations={"readOnlyHint": "no"})(report), "report: readOnlyHint is True or False, not 'no'"),
        (lambda: tool(annotations={"title": 3})(report), "report: annotations: title is a text, not 3"),
        (lambda: prompt(title=3)(report), "report: title is a text, not 3"),
        (lambda: resource("report://{year}", mime_type=3)(report), "report://{year}: mime_type is a text, not 3"),
        (lambda: resource("report://{year}", ttl=None)(report), "report://{year}: ttl is a timedelta, such as"),
        (lambda: tool(tasks="sometimes")(report), "tasks is 'never', 'allowed' or 'always', not 'sometimes'"),
        (lambda: resource("report://{year}", ttl=60)(report), "report://{year}: ttl is a timedelta"),
        (lambda: tool()(Engine), "@tool stands above a function (def or async def), and Engine is none"),
        (lambda: tool()(partial(report, "2025")), "stands above a function (def or async def), and functools.partial("),
        (lambda: tool()(tool()(report)), "@tool stands above a function (def or async def), and Tool(name='report'"),
        (lambda: prompt()(None), "@prompt stands above a function (def or async def), and None is none"),
        (lambda: resource("report://all")(property(report)), "@resource stands above a function (def or async def)"),
        (lambda: tool()(years), "years is a generator: return all of the result, as a list for example"),
        (lambda: tool()(later_years), "later_years is a generator: return all of the result"),
        (lambda: tool()(Archive.find), "Archive.find is a method: write a function outside of the class"),
        (
            lambda: tool()(bare),
            "bare: annotate context: its schema comes from there, and the context is found by `conte",
        ),
        (lambda: features_of([report]), "TOOLS lists report, which is no Tool: write @tool() above it"),
        (lambda: features_of([], [report]), "PROMPTS lists report, which is no Prompt: write @prompt() above it"),
        (lambda: features_of([], [], [report]), "RESOURCES lists report, which is no Resource: write @resource(uri)"),
        (lambda: features_of(["report"]), "TOOLS lists 'report', which is no Tool"),
        (lambda: features_of([mcp_tasks]), "TOOLS lists mcp_tasks, which is no Tool, but a module: import from it"),
        (lambda: features_of([[tool()(report)]]), "which is no Tool, but a list: name each of its entries"),
        (
            lambda: tool(scopes="reports:write")(report),
            "report: scopes is a list of OAuth scopes, such as [\"reports:write\"], not 'reports:write'",
        ),
        (lambda: tool(scopes=[3])(report), "report: a scope is a text, not 3"),
        (lambda: tool(scopes=["a b"])(report), "report: 'a b' is no scope: write it without spaces, quotes or backsl"),
        (lambda: tool(scopes=["a", "b", "a"])(report), "report: the scope 'a' is listed twice"),
        (lambda: prompt(scopes=["é"])(report), "report: 'é' is no scope"),
        (lambda: resource("report://{year}", scopes=[""])(report), "report://{year}: '' is no scope"),
        (
            lambda: resource("report://{year}", scopes=["reports:{month}"])(report),
            "report://{year}: scopes name {month}, which is no variable of the URI",
        ),
        (lambda: tool("report"), "@tool takes keyword arguments only: write @tool(name='report')"),
    ],
)
def test_a_mistake_is_told_with_what_to_write(define: Callable[[], Any], says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(says)):
        define()


@pytest.mark.parametrize(("function", "what"), [(row, "what it returns"), (table, "what it returns"), (count, "rows")])
def test_a_typed_dict_of_typing_needs_a_newer_python(function: Callable[..., Any], what: str) -> None:
    if sys.version_info >= (3, 12):
        assert tool()(function).work.input_schema
        return
    says = f"{function.__name__}: {what} uses typing.TypedDict: before Python 3.12, import TypedDict from typing_ext"
    with pytest.raises(TypeError, match=re.escape(says)):
        tool()(function)


def test_the_context_needs_no_schema() -> None:
    def run(engine: int, context: Context) -> str:
        """Run, and know of the call."""
        return str(context.task_id and engine)

    assert list(tool()(run).work.input_schema["properties"]) == ["engine"]
