"""Describe a CSV table column by column: a tool that may run long, reports progress, and can be cancelled."""

import re
from collections import Counter
from collections.abc import Sequence
from csv import Error as NotCsv
from csv import reader
from dataclasses import dataclass
from io import StringIO
from math import fsum
from typing import Annotated, Literal

from pydantic import Field

from examples.data_bucket import client_of_task, read_text
from mcp_tasks import Context, ToolError, tool

LARGEST = 10_000_000
WIDEST = 1_000
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "NULL", "null"})
# 007 is a name, not a number; and numbers of 300 digits, exponent included, would overflow when summed.
NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d{0,190})(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)
INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
TOP = 5
LONGEST_VALUE = 100


@dataclass(frozen=True, kw_only=True)
class NumberColumn:
    """A column in which every value is a number."""

    name: str
    type: Literal["integer", "number"]
    count: int
    missing: int
    min: float
    lower_quartile: float
    median: float
    upper_quartile: float
    max: float
    mean: float


@dataclass(frozen=True, kw_only=True)
class TopValue:
    """A value and how often it occurs."""

    value: str
    count: int


@dataclass(frozen=True, kw_only=True)
class TextColumn:
    """Any other column, with its most frequent values; "empty" says that every value is missing."""

    name: str
    type: Literal["text", "empty"]
    count: int
    missing: int
    distinct: int
    top_values: list[TopValue]


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What a table looks like; `count` is the number of values that are not missing."""

    rows: int
    columns: list[NumberColumn | TextColumn]


@tool(title="Profile a table", tasks="allowed", annotations={"readOnlyHint": True, "openWorldHint": False})
def profile_csv(
    context: Context,
    csv: Annotated[str | None, Field(description="The table itself; its first row names the columns.")] = None,
    source: Annotated[
        str | None, Field(description="Where the table is instead: its name in your tenant's folder")
    ] = None,
) -> Profile:
    """Describe each column of a CSV table: type, missing values, and the spread of numbers or the top texts."""
    if (csv is None) == (source is None):
        raise ToolError("Give the table either as csv or as source: one of them, not both.")
    text = csv if source is None else read_text(client_of_task(context), context.caller, source, at_most=LARGEST)
    header, rows = _parse(text or "")
    columns = []
    for number, name in enumerate(header):
        context.report_progress(number, len(header), f"{len(rows):,} rows read, now looking at {name}")
        columns.append(_column(name, [row[number].strip() for row in rows]))
    context.report_progress(len(header), len(header), f"{len(rows):,} rows and {len(header)} columns profiled")
    return Profile(rows=len(rows), columns=columns)


def _parse(text: str) -> tuple[list[str], list[list[str]]]:
    if len(text) > LARGEST:
        raise ToolError(f"The table is {len(text):,} characters long; at most {LARGEST:,} are read.")
    lines = reader(StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        header = _checked([name.strip() for name in next(filter(None, lines), [])])
        rows = []
        for row in filter(None, lines):
            if len(row) != len(header):
                raise ToolError(f"Line {lines.line_num} has {len(row)} values for {len(header)} columns.")
            rows.append(row)
    except NotCsv as error:
        raise ToolError(f"Line {lines.line_num} is not CSV: {error}.") from None
    if not rows:
        raise ToolError("The table has a header but no rows.")
    return header, rows


def _checked(header: list[str]) -> list[str]:
    if not header:
        raise ToolError("The table is empty; its first row must name the columns.")
    if len(header) > WIDEST:
        raise ToolError(f"The table has {len(header):,} columns; at most {WIDEST:,} are read.")
    if all(map(NUMBER.fullmatch, header)):
        raise ToolError("The first row holds only numbers; put a row above it that names the columns.")
    if "" in header:
        raise ToolError(f"Column {header.index('') + 1} has no name; the first row must name every column.")
    name, times = Counter(header).most_common(1)[0]
    if times > 1:
        raise ToolError(f"{times} columns are named {name}; give each a name of its own.")
    return header


def _column(name: str, cells: Sequence[str]) -> NumberColumn | TextColumn:
    values = [cell for cell in cells if cell not in MISSING]
    missing = len(cells) - len(values)
    if not values or not all(map(NUMBER.fullmatch, values)):
        return _texts(name, values, missing)
    numbers = sorted(map(float, values))
    return NumberColumn(
        name=name,
        type="integer" if all(map(INTEGER.fullmatch, values)) else "number",
        count=len(numbers),
        missing=missing,
        min=numbers[0],
        lower_quartile=_quantile(numbers, 0.25),
        median=_quantile(numbers, 0.5),
        upper_quartile=_quantile(numbers, 0.75),
        max=numbers[-1],
        mean=fsum(numbers) / len(numbers),
    )


def _texts(name: str, values: Sequence[str], missing: int) -> TextColumn:
    often = Counter(values)
    return TextColumn(
        name=name,
        type="text" if values else "empty",
        count=len(values),
        missing=missing,
        distinct=len(often),
        top_values=[TopValue(value=value[:LONGEST_VALUE], count=count) for value, count in often.most_common(TOP)],
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Interpolate between the neighbours, as spreadsheets and numpy do."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
