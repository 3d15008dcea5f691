"""What `make bench` prints of a tenant beside a greedy one: in simulated time, and on the emulator."""

from collections.abc import Iterator

from tests.neighbour.rev_2026_07_28 import on_the_emulator, tenants


def lines() -> Iterator[str]:
    """Measure both, and yield what to print."""
    yield from _simulated()
    yield from _on_the_emulator()


def _simulated() -> Iterator[str]:
    alone, beside = (tenants.measure(tenants.LIMITED, greedy=greedy) for greedy in (False, True))
    found = tenants.ratios(alone, beside)
    yield ("\nA tenant beside a greedy one, simulated ms, p50 and p95 alone, and beside it")
    for kind, ratio in found.items():
        figures = [*tenants.percentiles(alone[kind]), *tenants.percentiles(beside[kind])]
        yield (
            f"  {kind:<34} {'  '.join(f'{each:8.2f}' for each in figures)}   ratio {ratio:.2f}   (goal: at most 1.1)"
        )


def _on_the_emulator() -> Iterator[str]:
    measured = on_the_emulator.measure()
    served, refused, unanswered = measured.flood
    yield (
        f"\nThe same on the emulator, with {on_the_emulator.QUEUE} tasks, ms, p50 and p95."
        f"\nOf the greedy tenant's requests {served} served, {refused} refused, {unanswered} not answered; at the most "
        + ", ".join(f"{count} {name}" for name, count in sorted(measured.used.items()))
        + f"\nOf the other tenant's requests {measured.refused.total()} refused at first {dict(measured.refused) or ''}"
    )
    beside = measured.phases[on_the_emulator.GREEDY].figures
    for name, phase in measured.phases.items():
        yield (f"  {name} ({phase.rate:.2f} CPU seconds a second)")
        for kind, taken in phase.figures.items():
            p50, p95 = tenants.percentiles(taken)
            ratios = [b / a for a, b in zip((p50, p95), tenants.percentiles(beside[kind]), strict=True)]
            goal = "   (goal: at most 1.1)" if name == on_the_emulator.CONTROL else ""
            yield (f"    {kind:<32} {p50:8.2f}  {p95:8.2f}   greedy by this {ratios[0]:.2f}  {ratios[1]:.2f}{goal}")
