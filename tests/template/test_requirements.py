"""What the wheel requires is what is tested with it; an adopter's clone may have other versions."""

import tomllib
from importlib.metadata import version
from itertools import chain

from packaging.requirements import Requirement

from tests.checkout import ROOT

PROJECT = tomllib.loads((ROOT / "layers/core/pyproject.toml").read_text())["project"]


def test_the_least_version_of_what_the_wheel_requires_is_the_one_that_is_tested() -> None:
    for each in map(Requirement, [*PROJECT["dependencies"], *chain(*PROJECT["optional-dependencies"].values())]):
        tested = version(each.name)
        (least,) = [limit.version for limit in each.specifier if limit.operator == ">="]

        assert tested in each.specifier
        assert tested.startswith(f"{least}."), f"{each.name} {tested} is what is tested"
