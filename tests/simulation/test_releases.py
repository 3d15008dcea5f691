"""Stories of two releases: both run, each is the code that it says, and neither gets hold of what is the other's."""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from tests.simulation.releases import BOUND, COMMITS, DEPLOYED, PACKAGE, THIS, names_of, release_before
from tests.simulation.story import simulate
from tests.simulation.traits import RELEASES

OLD = names_of(COMMITS[-1])
BOTH = [{PACKAGE: PACKAGE, BOUND: BOUND}, OLD]
"""The packages of this release, and those of one before."""


def modules(packages: Mapping[str, str]) -> Iterator[ModuleType]:
    """Yield what is loaded of the packages of a release."""
    names = tuple(f"{package}." for package in packages.values())
    yield from (module for name, module in list(sys.modules.items()) if name.startswith(names))


def homes(module: ModuleType) -> set[str]:
    """Return the packages that the classes and functions come from which a module has."""
    whose = [str(getattr(each, "__module__", "")) for each in vars(module).values()]
    return {BOUND if name.startswith(BOUND) else name.partition(".")[0] for name in whose}


def test_both_releases_run_in_one_story_and_take_over_from_each_other() -> None:
    stories = [simulate(seed, RELEASES).counts for seed in range(8)]

    both = [each for each in stories if each["move: deployment rolls back"]]
    assert max(min(each[f"invoked: {THIS.name}"], each["invoked: a release before"]) for each in both) > 100


@pytest.mark.parametrize(("one", "other"), [BOTH, BOTH[::-1]], ids=["this release", "a release before"])
def test_no_module_of_a_release_has_anything_of_the_other(one: Mapping[str, str], other: Mapping[str, str]) -> None:
    release_before(COMMITS[-1])
    simulate(2, RELEASES)

    found = list(modules(one))
    assert len(found) > 50
    assert {module.__name__: homes(module) for module in found if homes(module) & {*other.values()}} == {}


def test_what_is_bound_to_a_release_imports_nothing_of_the_tests_but_itself() -> None:
    for path in DEPLOYED.glob("*.py"):
        imported = [
            node.module or "" for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
        ]

        strange = [
            name for name in imported if name.startswith("tests") and not name.startswith("tests.simulation.deployed")
        ]
        assert strange == [], path.name


def test_a_release_before_is_loaded_from_a_folder_of_its_own() -> None:
    place = Path(str(release_before(COMMITS[-1]).functions.__file__))

    assert place.parents[1].joinpath(OLD[PACKAGE], "wiring.py").exists()
    assert not place.is_relative_to(DEPLOYED)
