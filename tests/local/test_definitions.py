"""The synthesised app is kept, until one of its files changes."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from local import definitions
from local.definitions import assembly


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of state machines, and a folder of its own for what is kept."""
    folder = tmp_path / "kept_machines"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(definitions, "KEPT", tmp_path / "kept")
    return folder


def test_the_app_is_synthesised_once_until_a_machine_is_saved(machines: Path) -> None:
    first = assembly("kept_machines")
    # A draft would be made in it.
    made = definitions.KEPT.stat().st_mtime_ns
    assert (assembly("kept_machines"), definitions.KEPT.stat().st_mtime_ns) == (first, made)

    (machines / "_helper.py").write_text("")
    assert assembly("kept_machines") != first


@pytest.mark.slow
def test_two_processes_may_synthesise_the_same_at_once(machines: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(assembly, ["kept_machines"] * 2)

    assert first == second
    assert list(definitions.KEPT.iterdir()) == [first]


@pytest.mark.slow
def test_what_was_kept_longest_is_forgotten(machines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "MOST_KEPT", 1)
    first = assembly("kept_machines")
    (machines / "_helper.py").write_text("")
    second = assembly("kept_machines")

    assert (first.exists(), second.exists()) == (False, True)
    assert list(definitions.KEPT.iterdir()) == [second]
