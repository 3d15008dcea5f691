"""The official runner: in every scenario it finds what `expected.py` says, and nothing else."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from tests.conformance.runner import PACKAGE, REVISIONS, Scenario, requirements, run
from tests.conformance.targets import deployed, served
from tests.conformance.verdict import judge, surprises, unknown

# Without the runner there is nothing to list, and one test in its place that fails.
INSTALLED = [revision for revision in REVISIONS if PACKAGE.exists()]
REQUIRED = [(revision, name) for revision in INSTALLED for name in requirements(revision)] or [("", "")]

Ran = Callable[[str], dict[str, Scenario]]


@pytest.fixture(scope="module")
def ran() -> Iterator[Ran]:
    """What the runner finds, by revision; each is run once."""
    with served() as url:
        yield cache(lambda revision: {scenario.name: scenario for scenario in run(url, revision)})


@pytest.mark.parametrize(("revision", "name"), REQUIRED)
def test_a_scenario_ends_as_expected(ran: Ran, revision: str, name: str) -> None:
    assert surprises(ran(revision)[name]) == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_exactly_the_required_scenarios_were_run(ran: Ran, revision: str) -> None:
    assert list(ran(revision)) == list(requirements(revision))
    assert unknown(list(ran(revision).values())) == []


@pytest.mark.slow
@pytest.mark.parametrize("revision", REVISIONS)
def test_every_scenario_ends_as_expected_on_the_deployed_stack(revision: str) -> None:
    with deployed() as url:
        assert judge(run(url, revision)) == []
