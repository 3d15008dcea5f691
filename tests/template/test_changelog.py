"""The changelog, which is the template's: a project that is made from it has its own."""

import re

from mcp_tasks.version import VERSION
from tests.checkout import ROOT

CHANGELOG = ROOT / "CHANGELOG.md"


def test_the_newest_entry_is_this_release() -> None:
    entries = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", CHANGELOG.read_text(), re.MULTILINE)

    assert entries[0] == VERSION
    assert entries == sorted(entries, key=lambda entry: [int(part) for part in entry.split(".")], reverse=True)
