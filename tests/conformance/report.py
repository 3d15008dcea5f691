"""`docs/conformance.md`: what the runner found on each target, scenario by scenario."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from local.emulator import ROOT
from tests.conformance.expected import EXPECTED, WHOLE
from tests.conformance.runner import Scenario, Status

FILE = ROOT / "docs" / "conformance.md"

Ran = Mapping[str, Sequence[Scenario]]
"""What was found, by target; the same scenarios in the same order on each."""

HEAD = """\
# Conformance

What the official runner finds on this server, scenario by scenario. `make conformance` writes this page, once it has
run the requirements of both revisions on both targets and found nothing that `tests/conformance/expected.py` does not
explain. The runner knows by name the tools, prompts and resources that it wants; they are in `tests/conformance`.

- *make serve* is one process, with everything in memory; `make test` runs the same on it.
- *deployed* is the CDK stack on this machine's emulator, as `make stack` brings it up. The runner cannot send a token,
  so `local/proxy.py` adds one; what a stranger's page says of itself it passes on, for the server to refuse. The runner
  calls `http://localhost` and sends that as its origin, which `make stack` allows: its `allowed_origins` are those of
  this machine. Before the first scenario a task was run and waited for, so that no function was cold: a cold one takes
  a second on the emulator, and in some scenarios the runner waits half of that.

The runner scores what a revision requires. It runs, and does not score, what belongs to an extension, what was added
after the release that it goes by, and what is pending because its own example of a server does not pass it yet. The
numbers in the tables of scenarios are checks.
"""

TITLES: Mapping[Status, str] = {
    "FAILURE": "What fails",
    "WARNING": "What the runner warns of",
    "SKIPPED": "What is skipped",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """When, by what and of what a report is."""

    date: str
    runner: str
    node: str
    server: str


def page(setting: Setting, ran: Ran) -> str:
    """Write the page."""
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
    """Return how many scenarios passed, and of how many."""
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
    looked = good + len(scenario.all("FAILURE")) + len(scenario.all("WARNING"))
    return f"{scenario.outcome}, {good} of {looked}" if looked else scenario.outcome


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
