"""What happened in many stories: how often, how much in each, and which fault struck at which call."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import mean, median, quantiles
from typing import Self

from tests.simulation.faults import FAULTS
from tests.simulation.trace import Trace

ENOUGH = 100
"""How often each fault should have struck at each call, in a long run."""

SHOWN = 20
"""How many of the others are named, the rarest."""

SHORT = {name: name.replace("executor", "exec.").replace("answers not", "mute") for name in FAULTS}


@dataclass(slots=True)
class Tally:
    """What happened in some stories; of each, how many moves it had and how many faults."""

    counts: Counter[str] = field(default_factory=Counter)
    moves: list[int] = field(default_factory=list)
    faults: list[int] = field(default_factory=list)
    recoveries: list[timedelta] = field(default_factory=list)
    """How soon tasks went on after each long outage."""

    @property
    def stories(self) -> int:
        """How many they are."""
        return len(self.moves)

    def add(self, trace: Trace) -> None:
        """Add one story."""
        self.counts += trace.counts
        self.moves.append(_of(trace.counts, "move: "))
        self.faults.append(_of(trace.counts, "fault: "))
        self.recoveries += trace.recoveries

    def __iadd__(self, other: Self) -> Self:
        self.counts += other.counts
        self.moves += other.moves
        self.faults += other.faults
        self.recoveries += other.recoveries
        return self


def missing(tally: Tally, known: Sequence[str]) -> list[str]:
    """Return what never happened, of all that is known to happen."""
    return [kind for kind in known if not tally.counts[kind]]


def report(tally: Tally, known: Sequence[str]) -> Iterator[str]:
    """Yield lines that say what happened."""
    yield from (f"  {kind:<44}{tally.counts[kind]:>9}" for kind in known)
    yield from _table(tally.counts)
    yield from _distribution(tally)
    yield from _recoveries([each.total_seconds() for each in tally.recoveries])


def _table(counts: Counter[str]) -> Iterator[str]:
    """Yield how often which fault struck at which call of a port; one that cannot strike there is a dash."""
    struck = {kind.removeprefix("call: "): number for kind, number in counts.items() if kind.startswith("call: ")}
    calls = sorted(kind.removeprefix("called: ") for kind in counts if kind.startswith("called: "))
    possible = {
        f"{call}: {name}": struck.get(f"{call}: {name}", 0)
        for call in calls
        for name, fault in FAULTS.items()
        if fault.can_strike(*call.split("."))
    }
    yield ""
    yield " " * 30 + "".join(f"{SHORT[fault][:11]:>12}" for fault in FAULTS)
    for call in calls:
        yield f"  {call:<28}" + "".join(f"{possible.get(f'{call}: {fault}', '-'):>12}" for fault in FAULTS)
    rare = sorted((number, kind) for kind, number in possible.items() if number < ENOUGH)
    shown = ", ".join(f"{kind} ({number})" for number, kind in rare[:SHOWN])
    yield f"  {sum(struck.values()):,} faults at {len(calls)} calls, in {len(possible)} combinations"
    yield f"  {len(rare)} of them fewer than {ENOUGH} times{': ' * bool(rare)}{shown}{', ...' * (len(rare) > SHOWN)}"


def _distribution(tally: Tally) -> Iterator[str]:
    for name, numbers in (("moves", tally.moves), ("faults", tally.faults)):
        if len(numbers) > 1:
            tenths = quantiles(numbers, n=10)
            yield f"  {name} a story: {mean(numbers):.1f} on average, {tenths[0]:.0f} to {tenths[-1]:.0f} in 8 of 10"


def _recoveries(seconds: Sequence[float]) -> Iterator[str]:
    if seconds:
        half, most = median(seconds), max(seconds)
        yield f"  recovered from {len(seconds)} long outages: half within {half:.0f} s, the last after {most:.0f} s"


def _of(counts: Counter[str], kind: str) -> int:
    return sum(number for name, number in counts.items() if name.startswith(kind))
