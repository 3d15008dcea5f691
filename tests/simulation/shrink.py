"""Makes a violated story as short as it can, and still be violated: fewer kinds of faults, and then fewer moves."""

from tests.simulation.story import simulate
from tests.simulation.violation import Less, Violation


def shrunk(violation: Violation) -> Violation:
    """Return the violation of a shorter story of the same seed, or the same one where no shorter story has any."""
    for fault in violation.faults:
        less = Less(violation.less.moves, violation.less.without | {fault})
        without = _violated(violation, less)
        # Without a fault, a story is another one from there on, and may be longer.
        if without is not None and without.made <= violation.made:
            violation = without
    shortest, longest = 1, violation.made
    while shortest < longest:
        # What is violated after so many moves may not be after more, so this finds a short story, not the shortest.
        half = (shortest + longest) // 2
        shorter = _violated(violation, Less(half, violation.less.without))
        if shorter is None:
            shortest = half + 1
        else:
            violation, longest = shorter, half
    return violation


def _violated(violation: Violation, less: Less) -> Violation | None:
    try:
        simulate(violation.seed, violation.kept, less)
    except Violation as shorter:
        return shorter
    return None
