"""The files that the pages of recipes show, as an adopter would take them."""

from collections.abc import Iterator
from pathlib import Path

from tests.docs.blocks import ROOT, Block, blocks_of

PAGES = sorted((ROOT / "docs" / "recipes").glob("*.md"))
TOOLS, MACHINES = "layers/tools/python/tools", "infra/machines"
LONGEST = 60


def files() -> Iterator[Block]:
    """Yield each file that a page shows."""
    for page in PAGES:
        yield from (block for block in blocks_of(page.read_text(), page.name) if block.file)


def names(folder: str) -> list[str]:
    """Return the names of the modules of a folder, without the suffix."""
    return sorted(Path(block.file).stem for block in files() if str(Path(block.file).parent) == folder)


def write_to(folder: Path) -> None:
    """Write the state machines as the package `recipe_machines`, and the tools into a folder `tools`."""
    homes = {MACHINES: folder / "recipe_machines", TOOLS: folder / "tools"}
    for home in homes.values():
        home.mkdir()
    for block in files():
        path = Path(block.file)
        (homes[str(path.parent)] / path.name).write_text(block.code)
