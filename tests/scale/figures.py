"""The figures of all crowds, as `make scale` has written them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tests.scale.crowd import DISTRIBUTIONS, crowd
from tests.scale.policies import WAYS

FILE = Path(__file__).parent / "figures.json"
COUNTS: Final = (10, 1_000, 100_000)


def read() -> Mapping[str, Mapping[str, Any]]:
    """Return the figures by what they are of."""
    figures: Mapping[str, Mapping[str, Any]] = json.loads(FILE.read_text())
    return figures


def simulated(counts: tuple[int, ...] = COUNTS) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the figures of crowds of these sizes."""
    for name, draw in DISTRIBUTIONS.items():
        for how, way in WAYS.items():
            for count in counts:
                figures = asdict(crowd(count, draw, way))
                yield f"{name} / {how} / {count}", json.loads(json.dumps(figures))
