"""The tables of docs/limits.md that are made of the counts and the prices, and of the simulated crowds."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.checkout import ROOT
from tests.cost import counts, prices
from tests.cost.bill import Stage
from tests.cost.tenants import TENANTS, Tenant, agentcore, always_on, holding, month
from tests.cost.waits import LENGTHS, Unit
from tests.scale import figures
from tests.scale.crowd import HOUR
from tests.scale.policies import WAYS, Way
from tests.scale.waiting import listen

PAGE: Final = ROOT / "docs/limits.md"

THINGS: Final = {
    "task 1 KB": "tasks on the default machine whose result has 1 KB, in 2025-11-25",
    "task 1 KB 2026-07-28": "the same in 2026-07-28, where the call waits for a quick tool",
    "task 1 KB direct": 'tasks of a tool with `machine="direct"` whose result has 1 KB, in 2025-11-25',
    "task 96 KB": "tasks with a result of 96 KB",
    "task 96 KB given": "tasks with arguments of 96 KB",
    "task 1 MB": "tasks with a result of 1 MB",
    "result 1 KB": "results of 1 KB that are fetched",
    "result 96 KB": "of 96 KB",
    "result 1 MB": "of 1 MB",
    "question": "input requests of a task, found and answered by one request each",
    "sleep": "sleeps of a task",
    "queued": "tasks that wait for their turn, in addition",
    "step 1 KB": "steps that a run records, of 1 KB",
    "progress": "progress reports",
    "wait 60 s": "waits of a minute by `tasks/result`, of which nothing is known",
    "wait 60 s known": "of which the tool says so (`expected`)",
    "polled 60 s": "the same by polling, of which nothing is known",
    "polled 60 s known": "of which the tool says so",
    "outage 1 h": "hours of an outage in which a task in flight is tried again, in addition",
    "inline call 2025-11-25": "calls that are no tasks, in 2025-11-25",
    "inline call 2026-07-28": "in 2026-07-28",
    "inline wait 3 s": "calls that wait 3 s (`inline_wait`) before they become tasks, in addition",
    "tasks/get 2025-11-25": "polls by `tasks/get`",
    "tools/list 2025-11-25": "`tools/list`",
    "session": "sessions of 2025-11-25",
    "authorize": "tokens, in each minute in which they are used",
}
"""The rows of the first table, by the name of what was counted."""

PARTS: Final = {
    "states": "Step Functions",
    "storage": "table, S3",
    "functions": "functions",
    "held": "held",
    "gateway": "gateway",
    "logs": "logs, traces",
    "itself": "itself",
    "tickets": "tickets",
    "events": "events",
    "total": "whole",
}


def dollars(amount: float | None) -> str:
    """Return an amount as it is shown: whole dollars from ten on."""
    if amount is None:
        return "cannot"
    if abs(amount) < 0.05:
        return ""
    return f"${amount:,.0f}" if amount >= 9.95 else f"${amount:.1f}"


def whole_task() -> tuple[float, float]:
    """Return what a million tasks of 1 KB cost, and of that Step Functions."""
    found = counts.read()
    bill = Stage(settings=found["settings"]).bill(found["counts"]["task 1 KB"]) * prices.MILLION
    return bill.total, bill.states


def blocks() -> Mapping[str, str]:
    """Return the text of each generated block by its name."""
    found = counts.read()
    stage, counted = Stage(settings=found["settings"]), found["counts"]
    return {
        "what is counted": "\n".join(_things(stage, counted)),
        "waits": "\n".join(_waits(stage, counted)),
        "tenants": "\n".join(_tenants(stage, counted)),
        "crowds": "\n".join(_crowds(stage, counted)),
    }


def of_page(text: str) -> Mapping[str, str]:
    """Return the blocks that a page has."""
    return {name: block.strip("\n") for name, block in re.findall(BLOCK, text, re.DOTALL)}


BLOCK: Final = r"<!-- ([a-z ]+): made by make (?:cost|scale) -->\n(.*?)<!-- end -->"


def write() -> None:
    """Put the blocks of today's counts, prices and figures into the page."""
    made = blocks()

    def block(match: re.Match[str]) -> str:
        head, _, _ = match[0].partition("\n")
        return f"{head}\n\n{made[match[1]]}\n\n<!-- end -->"

    PAGE.write_text(re.sub(BLOCK, block, PAGE.read_text(), flags=re.DOTALL))


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _head(*cells: str) -> Iterator[str]:
    yield _row(*cells)
    yield "|" + "---|" * len(cells)


def _things(stage: Stage, counted: Mapping[str, Any]) -> Iterator[str]:
    yield from _head("A million", "requests", "units written, read", "transitions", "invocations", *PARTS.values())
    for name, words in THINGS.items():
        counts, functions = counted[name], counted[name]["functions"].values()
        units = (f"{sum(each[kind] for each in functions):.0f}" for kind in ("write_units", "read_units"))
        invoked = sum(each["invocations"] for each in functions)
        bill = stage.bill(counts) * prices.MILLION
        parts = (dollars(getattr(bill, part)) for part in PARTS)
        yield _row(
            words,
            f"{counts['requests']:.0f}",
            ", ".join(units),
            f"{counts.get('transitions', 0):.0f}",
            f"{invoked:.0f}",
            *parts,
        )


def _waits(stage: Stage, counted: Mapping[str, Any]) -> Iterator[str]:
    yield from _head("A million waits of", "by", "requests", "held, s", "late by, s", "cost")
    for length, seconds in LENGTHS.items():
        for name, way in WAYS.items():
            found = _unit(stage, counted, way).waited(seconds, way)
            cost = dollars(found.dollars * prices.MILLION)
            yield _row(length, name, f"{found.requests:.1f}", f"{found.held:.1f}", f"{found.late:.1f}", cost)
    yield ""
    yield _held_until(Unit.of(stage, counted["wait 60 s"]), Unit.of(stage, counted["polled 60 s"], "serve_mcp"))
    yield ""
    yield _stream_read(counted["wait 30 s reading the stream"]["functions"]["await_task"])
    yield ""
    yield from _head("A million hours", "requests", "held, s", "cost")
    for watches, words in WATCHES.items():
        hour = listen(HOUR, watches=watches)
        cost = dollars(_listened(stage, counted, watches=watches) * prices.MILLION)
        yield _row(words, len(hour.requests), f"{hour.held:.0f}", cost)


WATCHES: Final = {
    False: "that a client listens without subscriptions",
    True: "that a client listens for changes of watched resources",
}


def _listened(stage: Stage, counted: Mapping[str, Any], *, watches: bool) -> float:
    """Return what an hour of listening costs, by what its requests cost in the minute that was counted."""
    unit = Unit.of(stage, counted["listening 1 min"])
    if watches:
        # What is watched is queried, beside what a listener reads.
        unit = unit.holding(stage, counted["watching 1 min"])
    return unit.cost(listen(HOUR, watches=watches))


def _held_until(stream: Unit, call: Unit) -> str:
    look, held, by_calls = (each * prices.MILLION for each in (stream.request, stream.held_second, call.held_second))
    return (
        f"A million looks cost {dollars(look)}, and a million seconds that `await_task` holds {dollars(held)}: to look "
        f"in each 5 % of a task's age is cheaper from {stream.held_until:.0f} s on. What `serve_mcp` holds, which is "
        f"`subscriptions/listen`, costs {dollars(by_calls)}, and to look is cheaper from {call.held_until:.0f} s on."
    )


def _stream_read(waits: Mapping[str, Any]) -> str:
    each_second = waits["calls"]["dynamodbstreams.GetRecords"] / waits["held_seconds"]
    hour = each_second * 3600 * prices.STREAM_READ.each
    return (
        f"One process at a time reads the table's stream for those who wait, {each_second:.0f} times a second for each "
        f"shard: ${hour:.3f} an hour, which is in none of the rows."
    )


def _unit(stage: Stage, counted: Mapping[str, Any], way: Way) -> Unit:
    return Unit.of(stage, counted[f"{way.counted} 60 s"])


def _tenants(stage: Stage, counted: Mapping[str, Any]) -> Iterator[str]:
    months = {tenant: _month(stage, counted, tenant) for tenant in TENANTS}
    yield from _head("A month of a tenant that is", *(tenant.name for tenant in TENANTS))
    yield _row("users, sessions, calls", *(f"{t.users:,}, {t.sessions:,}, {t.calls:,}" for t in TENANTS))
    yield _row("tasks", *(f"{t.tasks:,} of {t.task_size}, {t.task_seconds:.0f} s each" for t in TENANTS))
    yield _row("questions", *(f"{t.tasks:,}, answered after hours" if t.asks else "none" for t in TENANTS))
    yield _row("hours of listening", *(f"{t.listening_hours:,}" for t in TENANTS))
    for part in next(iter(months.values())):
        yield _row(f"here: {part}", *(dollars(month[part]) for month in months.values()))
    yield _row("**here, in all**", *(f"**{dollars(sum(month.values()))}**" for month in months.values()))
    others = {
        "a function that holds each call": holding,
        "containers that are always on": always_on,
        "AgentCore Gateway, and a function that runs the tools": agentcore,
    }
    for words, other in others.items():
        yield _row(words, *(dollars(other(tenant)) for tenant in TENANTS))


def _month(stage: Stage, counted: Mapping[str, Any], tenant: Tenant) -> Mapping[str, float]:
    way = WAYS["tasks/result"]
    waited = _unit(stage, counted, way).waited(tenant.task_seconds, way).dollars
    return month(stage, counted, tenant, waited, _listened(stage, counted, watches=False))


def _crowds(stage: Stage, counted: Mapping[str, Any]) -> Iterator[str]:
    yield from _head(
        "Tasks of",
        "way",
        "waiting",
        "requests a second",
        "held",
        "reads a second",
        "late, s (p50, p95, p99)",
        "an hour",
    )
    for name, each in figures.read().items():
        words, way, count = name.split(" / ")
        unit = _unit(stage, counted, WAYS[way])
        one = each["looks"] * unit.request + each["seconds_held"] * unit.held_second
        hour = dollars(one / each["seconds"] * 3600 * int(count))
        late = ", ".join(f"{value:.1f}" for value in each["late"])
        asked = [_beside(each[kind], quota) for kind, quota in QUOTAS.items()]
        yield _row(words, way, f"{int(count):,}", *asked, late, hour)


QUOTAS: Final = {"requests": 10_000, "held": 1_000, "reads": 40_000}
"""An account's, before any is raised: requests a second of API Gateway, functions at once, units of a table."""


def _beside(value: float, quota: int) -> str:
    shown = f"{value:,.1f}" if value < 10 else f"{value:,.0f}"
    return f"**{shown}**" if value > quota else shown
