"""Fixtures: one deployed stack for all tests in this folder, and a caller for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator import EXAMPLES
from local.records import records
from local.stack import Stack, running_stack
from tests.stack.internals import complaints, fallbacks
from tests.stack.work_folder import WorkFolder

PAGE_SIZE = 2


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with running_stack(app=EXAMPLES, tools="tests.stack.sample_tools", page_size=PAGE_SIZE) as stack:
        yield stack


@pytest.fixture
def subject(request: pytest.FixtureRequest) -> str:
    """The subject of this test's tokens, unique to it, so that it sees no other test's tasks."""
    return str(request.node.name)


@pytest.fixture
def work_folder(tmp_path: Path) -> Iterator[WorkFolder]:
    """The folder of the tool `toil`, which returns when the test ends."""
    work_folder = WorkFolder(tmp_path)
    yield work_folder

    work_folder.enough()


@pytest.fixture
def work_folders(tmp_path: Path) -> Iterator[list[WorkFolder]]:
    """The folders of four such tasks."""
    made = [WorkFolder(tmp_path / name) for name in ("first", "second", "third", "fourth")]
    for each in made:
        Path(each.folder).mkdir()
    yield made

    for each in made:
        each.enough()


@pytest.fixture
def no_errors_logged(stack: Stack) -> Iterator[None]:
    """Fail a test during which the emulator or a function logged an error."""
    before = set(complaints(stack))
    yield

    assert set(complaints(stack)) - before == set()


@pytest.fixture
def no_fallbacks_used(stack: Stack) -> Iterator[None]:
    """Fail a test during which a fallback was used."""
    before = fallbacks(stack)
    yield

    taken = fallbacks(stack) - before
    assert not taken, [each for each in records(stack.client("logs")) if each.get("fallback") in taken]
