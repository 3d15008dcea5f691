"""`make prune` deletes no version that `make rollback` returns to, after deploys and rollbacks, whole or halfway."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from local.prune import outdated
from local.releases import Published, Version, release_before
from tests.kit import NOON

NAMES = ["serve", "run", "sweep"]
STORES = ["tasks", "payloads"]


class Stage:
    """Three functions; each deploy is a day after the one before."""

    def __init__(self) -> None:
        self.deploys = 0
        self.functions = [
            Published(name=name, alias="live", held=0, revision="r", deployed="", stores=STORES, versions=[])
            for name in NAMES
        ]

    def deploy(self, release: str, *, published: int = 3, moved: int = 3) -> None:
        """Publish a version of some functions, and have the aliases of some of these lead to it."""
        self.deploys += 1
        at = NOON + self.deploys * timedelta(days=1)
        for place, each in enumerate(self.functions[:published]):
            number = 1 + max((version.number for version in each.versions), default=0)
            version = Version(number=number, release=release, published=at, stores=STORES)
            held = number if place < moved or not each.held else each.held
            versions = [version, *each.versions]
            self.functions[place] = replace(each, held=held, deployed=release, versions=versions)

    def roll_back(self, release: str, *, moved: int = 3) -> None:
        for place, each in enumerate(self.functions[:moved]):
            if version := each.of(release):
                self.functions[place] = replace(each, held=version.number)

    def prune(self, days: float) -> None:
        """Delete what is older than so many days at the time of the last deploy."""
        now = NOON + self.deploys * timedelta(days=1)
        gone = {
            (each.name, version.number) for each, version in outdated(self.functions, now - days * timedelta(days=1))
        }
        for place, each in enumerate(self.functions):
            left = [version for version in each.versions if (each.name, version.number) not in gone]
            self.functions[place] = replace(each, versions=left)

    def held(self) -> Sequence[int]:
        return [each.held for each in self.functions]


@pytest.mark.parametrize("seed", range(60))
def test_a_rollback_leads_to_the_same_versions_before_and_after_a_prune(seed: int) -> None:
    chance, stage = random.Random(seed), Stage()
    stage.deploy("r0")
    for _ in range(12):
        match chance.randrange(4):
            case 0 if release := release_before(stage.functions):
                stage.roll_back(release, moved=chance.choice((1, 3)))
            case 1:
                published = chance.randrange(1, 4)
                stage.deploy(f"r{stage.deploys}", published=published, moved=chance.randrange(published + 1))
            case _:
                stage.deploy(chance.choice((f"r{stage.deploys}", "r0")))
        would = release_before(stage.functions)
        leads = [each.of(would or "") for each in stage.functions]

        stage.prune(chance.choice((0, 3)))

        assert release_before(stage.functions) == would
        assert [each.of(would or "") for each in stage.functions] == leads
        for each in stage.functions:
            numbers = {version.number for version in each.versions}
            assert each.held in numbers, "what an alias leads to"
            assert each.of(each.deployed) is not None, "what was deployed last"


def test_versions_are_kept_for_as_many_days_as_it_says_to_the_moment() -> None:
    stage = Stage()
    for release in "abcde":
        stage.deploy(release)

    stage.prune(3)
    assert [version.release for version in stage.functions[0].versions] == ["e", "d", "c", "b"]
    stage.prune(3 - 1e-6)
    assert [version.release for version in stage.functions[0].versions] == ["e", "d", "c"]
