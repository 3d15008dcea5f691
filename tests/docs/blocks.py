"""The blocks of code in the documents.

A block names its language and, where it is a file of an adopter's, that file's path: ```` ```python app.py ````.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "layers/core/DESIGN.md"],
    key=lambda page: (page.name != "README.md", page),
)
FENCE = re.compile(r"^```(?P<language>\w*) ?(?P<file>\S*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code, with the line of its page at which it begins."""

    page: str
    line: int
    language: str
    file: str
    code: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(text: str, page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(page, line, match["language"], match["file"], match["code"])


def strays(text: str) -> list[str]:
    """Return the lines that are code without a fence around it, or a fence that opens or closes nothing."""
    outside = FENCE.sub("", text)
    return [line for line in outside.splitlines() if re.match(r"    \S|\s*(```|~~~)", line)]


def blocks(page: str, language: str) -> list[str]:
    """Return the code of a page's blocks in one language."""
    return [block.code for block in blocks_of((ROOT / page).read_text(), page) if block.language == language]


def programs() -> list[Block]:
    """Return the blocks of all pages; the Python of a page that names no files is one program, told in pieces."""
    found: list[Block] = []
    for page in PAGES:
        pieces: list[Block] = []
        for block in blocks_of(page.read_text(), str(page.relative_to(ROOT))):
            (pieces if block.language == "python" and not block.file else found).append(block)
        if pieces:
            found.append(replace(pieces[0], code="\n\n".join(piece.code for piece in pieces)))
    return found
