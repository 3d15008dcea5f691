"""What the documents show is what there is."""

import re
from pathlib import Path
from typing import Any

from mcp_tasks import Context, Tool
from mcp_tasks.tasks.machine import TRANSITIONS
from mcp_tasks.tasks.model import Progress
from tests.deaf_journal import Deaf
from tests.kit import ADA

ROOT = Path(__file__).parents[2]


class Notes(Deaf):
    """A journal that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[Progress] = []

    def progressed(self, progress: Progress) -> None:
        self.told.append(progress)


def block(document: str, language: str) -> str:
    """Return the first block of code in a language."""
    found = re.search(rf"```{language}\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert found
    return found[1]


def test_the_diagram_of_states_is_the_table() -> None:
    moves = [
        f"    {state} --> {after}: {event.__name__}"
        for state, row in TRANSITIONS.items()
        for event, after in row.items()
    ]

    assert block("layers/core/DESIGN.md", "mermaid").splitlines() == ["stateDiagram-v2", "    [*] --> working", *moves]


def test_the_tool_in_the_readme_works() -> None:
    names: dict[str, Any] = {}
    exec(compile(block("README.md", "python"), "README.md", "exec"), names)
    tool: Tool = names["count_words"]
    notes = Notes()

    returned = tool.work.call({"text": "one two"}, Context(caller=ADA, journal=notes))

    assert returned.result["content"] == [{"type": "text", "text": "2 words"}]
    assert [told.message for told in notes.told] == ["counted"]
