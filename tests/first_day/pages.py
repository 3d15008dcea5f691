"""What the pages tell a new user to write and to type, in their order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.docs.blocks import ROOT, Block, blocks_of

PAGE = "docs/first-day.md"
LIST = "layers/tools/python/tools/__init__.py"
WRITTEN = ("README.md", "docs/recipes/nightly-export.md", "docs/calling.md", PAGE)
"""The pages with files to copy; where two have the same file, the later one counts."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A command, and what the page says that it prints (None where it does not say)."""

    command: str
    prints: str | None


def files() -> dict[str, str]:
    """Return each file that the pages have in full, by its path, but for tools that the first day does not list."""
    found = {block.file: block.code for page in WRITTEN for block in _blocks(page) if block.file}
    listed = re.findall(r"from tools\.(\w+) import", found[LIST])
    return {path: code for path, code in found.items() if not _is_of_a_tool(path) or Path(path).stem in listed}


def _is_of_a_tool(path: str) -> bool:
    return path != LIST and Path(path).parent in (Path(LIST).parent, Path("infra/machines"))


def typed() -> Iterator[Typed]:
    """Yield what the first day has its reader type, a block at a time."""
    for block, after in pairwise([*_blocks(PAGE), Block(PAGE, 0, "", "", "")]):
        if block.language == "sh":
            yield Typed(block.code, after.code if after.language == "text" else None)


def _blocks(page: str) -> list[Block]:
    return list(blocks_of(Path(ROOT, page).read_text(), page))
