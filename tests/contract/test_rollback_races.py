"""`make rollback`, where aliases change meanwhile, or AWS refuses to move one of them."""

from collections.abc import Iterator

import pytest
from moto import mock_aws

from local.rollback import return_to
from local.stage import Refused
from tests.contract.deployed_functions import Functions, roll_back


@pytest.fixture
def functions() -> Iterator[Functions]:
    with mock_aws():
        yield Functions()


@pytest.mark.parametrize("name", ["serve", "run", "host"])
def test_an_alias_that_moved_since_it_was_read_stays_where_it_is(functions: Functions, name: str) -> None:
    for release in ("a", "b", "c"):
        functions.deploy(release, "serve", "run", "host")
    read = functions.read()
    functions.deploy("d", name)

    with pytest.raises(Refused, match=f"{name} stays at version 3.*Run this again: it moves the others"):
        return_to(functions.client, read, "b")
    assert {each.name: each.release for each in functions.read()}[name] == "d"


def test_an_alias_that_moved_away_and_back_is_one_that_changed(functions: Functions) -> None:
    for release in ("a", "b"):
        functions.deploy(release, "serve")
    read = functions.read()
    for number in ("1", "2"):
        functions.client.update_alias(FunctionName="serve", Name="live", FunctionVersion=number)

    with pytest.raises(Refused, match="serve stays at version 2"):
        return_to(functions.client, read, "a")
    assert functions.live() == ["b"]


@pytest.mark.parametrize("number", range(4))
def test_a_rollback_that_fails_at_any_function_says_so_and_is_finished_by_the_next(
    functions: Functions, number: int
) -> None:
    names = ["serve", "run", "host", "sweep"]
    for release in ("a", "b", "c"):
        functions.deploy(release, *names)

    functions.refuse(number)
    with pytest.raises(
        Refused, match=f"{names[number]} stays at version 3, after {number} of 4 were moved: .*try later"
    ):
        roll_back(functions)
    functions.accept()
    assert functions.live() == ["b"] * number + ["c"] * (4 - number)

    assert [function.name for function, _ in roll_back(functions)] == names[number:]
    assert functions.live() == ["b"] * 4


def test_weights_that_a_deploy_set_since_the_aliases_were_read_are_not_overwritten(functions: Functions) -> None:
    for release in ("a", "b"):
        functions.deploy(release, "serve")
    read = functions.read()
    weights = {"AdditionalVersionWeights": {"1": 0.9}}
    functions.client.update_alias(FunctionName="serve", Name="live", FunctionVersion="2", RoutingConfig=weights)

    with pytest.raises(Refused, match="serve stays at version 2"):
        return_to(functions.client, read, "a")
    held = functions.client.get_alias(FunctionName="serve", Name="live")
    assert (held["FunctionVersion"], held["RoutingConfig"]) == ("2", weights)
