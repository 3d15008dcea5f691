"""Draws the picture of the demo that the README shows, from what `make demo` prints.

make demo | python -m tests.docs.demo_picture > docs/images/demo.svg
"""

import re
import sys
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

SHOWN = "1346"
"""The steps in the picture, by their numbers."""
LONGEST_STEP, COLUMNS = 14, 104
LINE, CHARACTER, MARGIN = 18, 7.8, 16
COLORS = {"completed": "#7ee787", "input_required": "#e3b341", "cancelled": "#ffa198", "progress": "#79c0ff"}
BACKGROUND, TEXT, DIM, TITLE = "#0d1117", "#c9d1d9", "#8b949e", "#ffffff"


def shown(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the steps in the picture, the long ones cut."""
    step, length = "", 0
    for line in lines:
        if re.match(r"\d+  ", line):
            step, length = line[0], 0
        length += 1
        if step and step in SHOWN and (length <= LONGEST_STEP or not line.strip()):
            yield line.rstrip()[:COLUMNS]


def svg(lines: Iterable[str]) -> str:
    """Return a picture of the lines, as on a terminal."""
    # SVG collapses ordinary spaces.
    rows = [row.replace(" ", "\u00a0") for row in ("$ make demo", "", *lines)]
    width, height = round(COLUMNS * CHARACTER + 2 * MARGIN), len(rows) * LINE + 2 * MARGIN
    texts = "\n".join(_text(row, MARGIN + (number + 0.8) * LINE) for number, row in enumerate(rows) if row)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>\n'
        f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">\n{texts}\n'
        "</g>\n</svg>\n"
    )


def _text(row: str, y: float) -> str:
    timed = re.match(r"(\s+[\d.]+\ss)\s\s(\S*)(.*)", row)
    if timed is None:
        return f'<text x="{MARGIN}" y="{y:.0f}" fill="{TEXT if row[0].isspace() else TITLE}">{escape(row)}</text>'
    when, word, rest = timed.groups()
    parts = [(DIM, when), (TEXT, "\u00a0\u00a0"), (COLORS.get(word, TEXT), word), (TEXT, rest)]
    spans = "".join(f'<tspan fill="{color}">{escape(part)}</tspan>' for color, part in parts)
    return f'<text x="{MARGIN}" y="{y:.0f}">{spans}</text>'


if __name__ == "__main__":
    sys.stdout.write(svg(shown(sys.stdin)))
