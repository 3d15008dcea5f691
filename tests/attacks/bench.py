"""How long it takes to refuse what is somebody else's, beside what never existed: CPU time of the real handlers.

Whatever a stranger may name is named in turn with something that never existed, and with something else that never
existed: the second pair shows by how much the same request differs from itself.  In a process of its own, which writes
what it found to the file that it is given: what the functions log goes to its standard output.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from mcp_tasks.testing.harness import REVISIONS
from mcp_tasks.testing.state_machines.template import Template
from tests.attacks.identities import STRANGERS
from tests.attacks.server import AttackedServer, attacked
from tests.attacks.ways import invented
from tests.harness.synthesis import context
from tests.infra.assembly import synthesise

MACHINES = "layers.examples.machines"
STRANGER = "both others'"
ROUNDS = 15

Ratios = dict[str, list[float]]


def measure() -> Ratios:
    """Return for all requests that write nothing the ratios of the medians, by what is compared."""
    found: Ratios = {"somebody else's by what never was": [], "what never was by itself": []}
    with tempfile.TemporaryDirectory() as folder:
        made = Template.of_assembly(synthesise(Path(folder, "assembly"), context(MACHINES)).folder)
        for revision in REVISIONS:
            with attacked(made, Path(folder), revision) as server:
                for named, never, other in taken(server, ROUNDS):
                    found["somebody else's by what never was"].append(named / never)
                    found["what never was by itself"].append(other / never)
    return found


def taken(server: AttackedServer, rounds: int) -> Iterator[list[float]]:
    """Yield for each request the median of the CPU time for what is the owner's, and for two that never existed."""
    client: Any = server.visitor(STRANGERS[STRANGER]).client
    reading = [case for case in server.cases if not case.way.writes]
    for way, state in reading:
        named = server.objects[way.kind][state]
        turns = [partial(way.send, client, name) for name in (named, *(invented(way.kind, named) for _ in range(2)))]
        times = [[_cpu(turn) for turn in turns] for _ in range(rounds + 1)]
        # The first of all has to warm up.
        yield [statistics.median(each) for each in zip(*times[1:], strict=True)]


def _cpu(act: Callable[[], object]) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(measure()))
