"""Writes `docs/conformance.md`: the runner's result of each scenario on each target."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from local.emulator import ROOT
from tests.conformance.expected import EXPECTED, WHOLE
from tests.conformance.runner import Scenario, Status

FILE = ROOT / "docs" / "conformance.md"

Ran = Mapping[str, Sequence[Scenario]]
"""The scenarios' results by target: the same scenarios in the same order on each."""

HEAD = """\
# Conformance

The results of the official conformance runner on this server, by scenario. `make conformance` writes this page, once it
has run the requirements of both revisions on both targets and every failure, warning and skipped check is explained in
`tests/conformance/expected.py`. The runner calls tools, prompts and resources of fixed names; they are in
`tests/conformance`.

- *make serve* is one process, with all state in memory; `make test` runs the same scenarios on it.
- *deployed* is the CDK stack on the emulator, as `make stack` starts it. The runner cannot send a token, so
  `local/proxy.py` adds one; it rejects DNS rebinding attacks itself, and that the server rejects their origins too is
  tested in `tests/stack/test_browsers.py`. The runner calls `http://localhost` and sends that as its origin, which is
  among the `allowed_origins` of `make stack`. Before the first scenario a task is run to its end, so that no function
  is cold: a cold start takes a second on the emulator, and in some scenarios the runner waits half of that.

The runner scores what a revision requires. It runs, and does not score, scenarios of an extension, those added
after the release that it goes by, and those pending because its own example server does not pass them yet. The
numbers in the tables of scenarios are checks.
"""

TITLES: Mapping[Status, str] = {
    "FAILURE": "What fails",
    "WARNING": "What the runner warns of",
    "SKIPPED": "What is skipped",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The date, the versions and the server of a report."""

    date: str
    runner: str
    node: str
    server: str


def page(setting: Setting, ran: Ran) -> str:
    """Return the page as Markdown."""
    return "\n".join(
        [
            HEAD,
            *_table(["date", "runner", "node", "server"], [_setting(setting)]),
            "",
            *_table(["revision", "scenarios", *ran], _totals(ran)),
            *_revisions(ran),
            *_reasons(),
            "",
        ]
    )


def summary(scenarios: Sequence[Scenario]) -> str:
    """Return how many of the scenarios passed, as in "30 of 33"."""
    return f"{sum(scenario.outcome == 'passed' for scenario in scenarios)} of {len(scenarios)}"


def _setting(setting: Setting) -> list[str]:
    return [setting.date, f"@modelcontextprotocol/conformance {setting.runner}", setting.node, setting.server]


def _totals(ran: Ran) -> Iterator[list[str]]:
    for revision in _of_first(ran):
        for title, counts in (("scored", (True,)), ("not scored", (False,)), ("all", (True, False))):
            kept = [
                [each for each in found if each.revision == revision and (each.unscored is None) in counts]
                for found in ran.values()
            ]
            yield [revision, title, *map(summary, kept)]


def _revisions(ran: Ran) -> Iterator[str]:
    for revision in _of_first(ran):
        yield from ("", f"## {revision}", "")
        rows = zip(*ran.values(), strict=True)
        yield from _table(["scenario", "scored", *ran], (_row(row) for row in rows if row[0].revision == revision))


def _row(row: Sequence[Scenario]) -> list[str]:
    first = row[0]
    return [first.name, f"no: {first.unscored}" if first.unscored else "yes", *map(_cell, row)]


def _cell(scenario: Scenario) -> str:
    good = len(scenario.all("SUCCESS"))
    checked = good + len(scenario.all("FAILURE")) + len(scenario.all("WARNING"))
    return f"{scenario.outcome}, {good} of {checked}" if checked else scenario.outcome


def _reasons() -> Iterator[str]:
    for status, title in TITLES.items():
        yield from ("", f"## {title}")
        grouped: dict[str, list[str]] = {}
        for (revision, scenario, check), reason in EXPECTED[status].items():
            named = f"- {revision}, {scenario}" + ("" if check == WHOLE else f": {check}")
            grouped.setdefault(reason, []).append(named)
        for reason, findings in grouped.items():
            yield from ("", reason, "", *findings)
        if not grouped:
            yield from ("", "Nothing.")


def _of_first(ran: Ran) -> list[str]:
    return list(dict.fromkeys(each.revision for each in next(iter(ran.values()))))


def _table(head: Sequence[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    yield from (f"| {' | '.join(row)} |" for row in rows)
