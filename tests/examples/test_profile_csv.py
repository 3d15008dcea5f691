"""Profiles of tables that are known, and of tables that are none."""

import csv
import statistics
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from examples.profile_csv import LARGEST, NumberColumn, Profile, TextColumn, TopValue, profile_csv
from mcp_tasks import Context, TaskCancelled, ToolError
from mcp_tasks.authoring.journal import Journal
from mcp_tasks.tasks.model import Progress
from mcp_tasks.testing.harness import CALLER
from mcp_tasks.testing.journal import NullJournal

PENGUINS = Path(__file__).parents[2] / "layers" / "examples" / "penguins.csv"


@dataclass
class RecordingJournal(NullJournal):
    """A journal that can be read, and says that the task is over after so many reports."""

    until: int = 10**9
    reports: list[Progress] = field(default_factory=list)

    def progressed(self, progress: Progress) -> None:
        if len(self.reports) >= self.until:
            raise TaskCancelled
        self.reports.append(progress)


def profile(text: str, journal: Journal | None = None) -> Profile:
    made: Profile = profile_csv(Context(caller=CALLER, journal=journal or RecordingJournal()), csv=text)
    return made


def rejection(text: str) -> str:
    with pytest.raises(ToolError) as rejected:
        profile(text)
    return str(rejected.value)


def numbers(*values: object) -> NumberColumn:
    (column,) = profile("x,y\n" + "".join(f"{value},\n" for value in values)).columns[:1]
    assert isinstance(column, NumberColumn)
    return column


def texts(*values: str) -> TextColumn:
    (column,) = profile("x,y\n" + "".join(f"{value},\n" for value in values)).columns[:1]
    assert isinstance(column, TextColumn)
    return column


def test_the_penguins() -> None:
    found = profile(PENGUINS.read_text())

    assert found.rows == 344
    assert [(column.name, column.type, column.missing) for column in found.columns] == [
        ("species", "text", 0),
        ("island", "text", 0),
        ("bill_length_mm", "number", 2),
        ("bill_depth_mm", "number", 2),
        ("flipper_length_mm", "integer", 2),
        ("body_mass_g", "integer", 2),
        ("sex", "text", 11),
        ("year", "integer", 0),
    ]
    assert found.columns[0] == TextColumn(
        name="species",
        type="text",
        count=344,
        missing=0,
        distinct=3,
        top_values=[
            TopValue(value="Adelie", count=152),
            TopValue(value="Gentoo", count=124),
            TopValue(value="Chinstrap", count=68),
        ],
    )


@pytest.mark.parametrize("name", ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "year"])
def test_the_penguins_numbers_are_those_of_the_standard_library(name: str) -> None:
    with PENGUINS.open() as file:
        values = [float(row[name]) for row in csv.DictReader(file) if row[name] != "NA"]

    (column,) = [each for each in profile(PENGUINS.read_text()).columns if each.name == name]

    assert isinstance(column, NumberColumn)
    assert column.count == len(values)
    assert (column.min, column.max) == (min(values), max(values))
    assert column.mean == pytest.approx(statistics.fmean(values))
    quartiles = statistics.quantiles(values, n=4, method="inclusive")
    assert [column.lower_quartile, column.median, column.upper_quartile] == pytest.approx(quartiles)


@given(st.lists(st.floats(-1e9, 1e9), min_size=2))
def test_any_numbers_are_summed_up_as_the_standard_library_does(values: list[float]) -> None:
    column = numbers(*(f"{value:.6f}" for value in values))
    values = [float(f"{value:.6f}") for value in values]

    assert [column.lower_quartile, column.median, column.upper_quartile] == pytest.approx(
        statistics.quantiles(values, n=4, method="inclusive"), abs=1e-6
    )
    assert column.mean == pytest.approx(statistics.fmean(values), abs=1e-6)
    assert column.min <= column.lower_quartile <= column.median <= column.upper_quartile <= column.max


def test_one_number_is_all_its_quantiles() -> None:
    column = numbers("7")

    assert [column.min, column.lower_quartile, column.median, column.upper_quartile, column.max] == [7] * 5
    assert (column.type, column.mean, column.count) == ("integer", 7, 1)


@pytest.mark.parametrize("values", [["1", "-2", "+3", "0"], ["10000000000000000000000"]])
def test_whole_numbers_are_integers(values: list[str]) -> None:
    assert numbers(*values).type == "integer"


@pytest.mark.parametrize("values", [["1", "2.5"], ["1e3"], [".5"], ["-1.", "+0.0"]])
def test_other_numbers_are_numbers(values: list[str]) -> None:
    assert numbers(*values).type == "number"


@pytest.mark.parametrize(
    "value", ["007", "1_000", "1e999", "inf", "-", ".", "٣", "0x1f", "1 2", "9" * 400, "9" * 250 + "e99", "--1"]
)
def test_what_only_looks_like_a_number_is_text(value: str) -> None:
    assert texts("1", value).type == "text"


def test_missing_values_are_counted_and_left_out() -> None:
    column = numbers("1", "", "NA", " ", "N/A", "NaN", "nan", "NULL", "null", "2")

    assert (column.count, column.missing, column.mean) == (2, 8, 1.5)


def test_a_column_of_missing_values_is_empty() -> None:
    assert texts("NA", "") == TextColumn(name="x", type="empty", count=0, missing=2, distinct=0, top_values=[])


def test_the_five_most_frequent_texts_are_listed_and_long_ones_cut() -> None:
    column = texts("a", "b", "b", "c", "d", "e", "f" * 1_000, "f" * 1_000)

    assert [(top.value, top.count) for top in column.top_values] == [
        ("b", 2),
        ("f" * 100, 2),
        ("a", 1),
        ("c", 1),
        ("d", 1),
    ]
    assert column.distinct == 6


def test_quotes_blank_lines_a_byte_order_mark_and_any_line_ending_are_read() -> None:
    found = profile('\ufeff\r\na , "b"\r\n"x, ""y""\r\nz",1\r\n\r\nw,2\r')

    assert [column.name for column in found.columns] == ["a", '"b"']
    assert isinstance(found.columns[0], TextColumn)
    assert [top.value for top in found.columns[0].top_values] == ['x, "y"\r\nz', "w"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The table is empty; its first row must name the columns."),
        ("\n\r\n", "The table is empty; its first row must name the columns."),
        ("\ufeff", "The table is empty; its first row must name the columns."),
        ("a,b\n", "The table has a header but no rows."),
        ("a,b\n1\n", "Line 2 has 1 values for 2 columns."),
        ("a,b\n1,2\n\n1,2,3\n", "Line 4 has 3 values for 2 columns."),
        ("a,b,a,a\n1,2,3,4\n", "3 columns are named a; give each a name of its own."),
        ("a,A ,a \n1,2,3\n", "2 columns are named a; give each a name of its own."),
        ("a, ,c\n1,2,3\n", "Column 2 has no name; the first row must name every column."),
        ("1,2.5\n3,4\n", "The first row holds only numbers; put a row above it that names the columns."),
        ('a\n"b\n', "Line 2 is not CSV: unexpected end of data."),
        ('a\n"b"c\n', "Line 2 is not CSV: ',' expected after '\"'."),
        ("a\n" + "x" * 200_000, "Line 2 is not CSV: field larger than field limit (131072)."),
        (",".join(f"c{n}" for n in range(1_001)), "The table has 1,001 columns; at most 1,000 are read."),
    ],
)
def test_what_is_no_table_is_rejected_with_what_is_wrong(text: str, words: str) -> None:
    assert rejection(text) == words


def test_a_large_table_is_rejected() -> None:
    table = "a,b\n1,2\n"

    assert profile(table + "\n" * (LARGEST - len(table))).rows == 1
    assert rejection(table + "\n" * LARGEST) == "The table is 10,000,008 characters long; at most 10,000,000 are read."


@pytest.mark.parametrize("arguments", [{}, {"csv": "a\n1", "source": "k"}, {"csv": "", "source": ""}])
def test_there_is_one_table_at_a_time(arguments: dict[str, str]) -> None:
    with pytest.raises(ToolError, match="either as csv or as source"):
        profile_csv(Context(caller=CALLER, journal=RecordingJournal()), **arguments)


def test_it_shows_its_progress() -> None:
    journal = RecordingJournal()

    profile("a,b\n1,2\n3,4\n", journal)

    assert journal.reports == [
        Progress(progress=0, total=2, message="2 rows read, now looking at a"),
        Progress(progress=1, total=2, message="2 rows read, now looking at b"),
        Progress(progress=2, total=2, message="2 rows and 2 columns profiled"),
    ]


def test_it_stops_when_nobody_waits_any_more() -> None:
    journal = RecordingJournal(until=1)

    with pytest.raises(TaskCancelled):
        profile("a,b\n1,2\n", journal)

    assert len(journal.reports) == 1


@given(st.text(max_size=200))
def test_any_text_is_profiled_or_rejected(text: str) -> None:
    try:
        found = profile(text)
    except ToolError:
        return

    assert found.rows > 0


def test_the_result_is_what_the_schema_promises() -> None:
    returned = profile_csv.work.call({"csv": PENGUINS.read_text()}, Context(caller=CALLER, journal=RecordingJournal()))

    schema = profile_csv.work.output_schema
    assert schema is not None
    Draft202012Validator(schema).validate(returned.result["structuredContent"])
    assert returned.result["structuredContent"]["rows"] == 344
