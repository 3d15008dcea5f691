"""The console shows what is not seen by the same rule as the core."""

import json
import re
import subprocess

import pytest

from mcp_tasks.page import FILE
from mcp_tasks.tasks.visible import visible
from tests.unit.visible_texts import LEFT, MARKED


def shown(texts: list[str]) -> list[str]:
    """Return the texts as the page shows them."""
    (rule,) = re.findall(r"^const JOIN = .*?^const visible = .*?$", FILE.read_text(), re.DOTALL | re.MULTILINE)
    program = f"{rule}\nconst texts = JSON.parse(require('fs').readFileSync(0, 'utf-8'));"
    program += "console.log(JSON.stringify(texts.map(visible)));"
    done = subprocess.run(
        ["node", "-e", program], input=json.dumps(texts), capture_output=True, text=True, timeout=60, check=True
    )
    found: list[str] = json.loads(done.stdout)
    return found


def test_what_is_not_seen_is_marked_and_the_rest_is_left() -> None:
    assert shown([*MARKED, *LEFT]) == [*MARKED.values(), *LEFT]


@pytest.mark.parametrize(
    "around", [("a", "b"), ("\u0645", "\u06cc"), ("\u0915", "\u0937"), ("\U0001f469", "\U0001f467")]
)
def test_each_character_is_shown_as_the_core_shows_it(around: tuple[str, str]) -> None:
    codes = range(0x110000) if around[0] == "a" else (*range(0x2000, 0x2100), *range(0xFE00, 0xFE10))
    texts = [chr(code).join(around) for code in codes]

    assert shown(texts) == [visible(each) for each in texts]
