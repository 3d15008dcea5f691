"""The version of this release: defined once, and told to clients until a server has its own."""

import re
from collections.abc import Iterator
from pathlib import Path

from local.emulator import ROOT
from local.serve import memory_server
from mcp_tasks.features.listing import Features
from mcp_tasks.settings import Settings
from mcp_tasks.version import VERSION

HOME = ROOT / "layers/core/python/mcp_tasks/version.py"
LEAST = {"TABLE_NAME": "tasks", "PAYLOAD_BUCKET": "payloads"}


def sources() -> Iterator[Path]:
    """Return where a version of ours could be spelt: in no lock, and in no record of what was measured once."""
    yield from (ROOT / name for name in ("app.py", "cdk.json", "Makefile", "README.md"))
    for folder in ("layers", "functions", "infra", "local", "tests"):
        yield from (ROOT / folder).rglob("*.py")


def spelt(text: str) -> bool:
    """Say whether this release is named: 1.2.3, not 1.2.3-alpha or 11.2.3."""
    return re.search(rf"(?<![\w.]){re.escape(VERSION)}(?![\w-]|\.\d)", text) is not None


def test_the_release_is_spelt_once() -> None:
    assert [path for path in sources() if spelt(path.read_text())] == [HOME]


def test_a_second_spelling_is_found() -> None:
    assert spelt(f'version = "{VERSION}"')
    assert spelt(f"This is {VERSION}.")
    assert not spelt(f"{VERSION}-alpha.1")
    assert not spelt(f"1{VERSION} and {VERSION}.1")


def test_a_server_without_a_version_of_its_own_has_that_of_the_release() -> None:
    assert Settings.of(LEAST).server_version == VERSION
    assert Settings.of({**LEAST, "SERVER_VERSION": ""}).server_version == VERSION
    assert memory_server(Features.of([]), {}).version == VERSION


def test_a_server_keeps_the_version_that_its_owner_gives_it() -> None:
    assert Settings.of({**LEAST, "SERVER_VERSION": "7.1"}).server_version == "7.1"
    assert memory_server(Features.of([]), {"server_version": "7.1"}).version == "7.1"
