"""How much memory each process has, and how fast that grows: of functions, each of which lives until it is killed."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

from local.stack import Stack
from tests.soak.background import Background
from tests.stack.internals import processes

EVERY: Final = 5.0
WARM: Final = 60.0
"""Seconds after which a process has imported all that it needs, and its caches are full."""

LEAST: Final = 300.0
"""Of a process that lived for less nothing is said."""

EMULATOR: Final = "(emulator)"


class Growth(NamedTuple):
    """Of one process: whose it is, for how long it was seen, its memory in MB when it was warm and last, and MB/h."""

    name: str
    minutes: float
    first: float
    last: float
    slope: float

    @property
    def grown(self) -> float:
        """How much it has more than when it was warm."""
        return self.last - self.first


@dataclass(slots=True, kw_only=True)
class Memory(Background):
    """Samples the memory of all processes."""

    stack: Stack
    _samples: dict[tuple[str, int], list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))

    @property
    def grown(self) -> list[Growth]:
        """How each process grew that lived long enough."""
        found = (growth(name, samples) for (name, _), samples in sorted(self._samples.items()))
        return [each for each in found if each is not None]

    def run(self) -> None:
        """Sample again and again."""
        while not self.ends.wait(EVERY):
            own = {self.stack.emulator.process.pid: EMULATOR}
            for process, name in {**processes(self.stack), **own}.items():
                if (size := resident(process)) is not None:
                    self._samples[name, process].append((monotonic(), size))


def resident(process: int) -> float | None:
    """Return the resident memory of a process in MB, None of one that is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    found = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(found[0]) / 1024 if found else None


def growth(name: str, samples: list[tuple[float, float]]) -> Growth | None:
    """Return the slope of the least squares over the samples of a warm process, None where there are too few."""
    warm = [(at, size) for at, size in samples if at - samples[0][0] >= WARM]
    if not warm or warm[-1][0] - warm[0][0] < LEAST:
        return None
    times, sizes = zip(*warm, strict=True)
    middle, mean = sum(times) / len(times), sum(sizes) / len(sizes)
    spread = sum((each - middle) ** 2 for each in times)
    slope = sum((at - middle) * (size - mean) for at, size in warm) / spread
    return Growth(name, (times[-1] - times[0]) / 60, sizes[0], sizes[-1], slope * 3600)
