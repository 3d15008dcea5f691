"""Expressions are functions of an item; what they mean is held against moto by the contract tests."""

import pytest

from tests.dynamodb.conditions import condition
from tests.dynamodb.grammar import Context
from tests.dynamodb.updates import update

ITEM = Context({"n": {"N": "7"}, "aMap": {"M": {"n": {"N": "1"}}}}, {"#n": "n"}, {":one": {"N": "1.0"}})


def test_a_condition_is_true_of_an_item_or_false() -> None:
    assert condition("attribute_exists(#n) AND NOT (n < :one OR aMap.#n <> :one)")(ITEM)
    assert not condition("attribute_not_exists(aMap.m) AND n BETWEEN :one AND :one")(ITEM)


def test_an_update_computes_all_from_the_item_as_it_was_and_leaves_that_alone() -> None:
    after = update("SET aMap.n = n, #n = aMap.n + :one ADD m :one")(ITEM)

    assert after == {"n": {"N": "2"}, "aMap": {"M": {"n": {"N": "7"}}}, "m": {"N": "1"}}
    assert ITEM.item == {"n": {"N": "7"}, "aMap": {"M": {"n": {"N": "1"}}}}


@pytest.mark.parametrize(
    "text", ["contains(n, n)", "n = n n", "n = ", "size(n) > :one", "n IN (:one)", "n ! n", "(n = n"]
)
def test_what_is_no_known_condition_is_refused(text: str) -> None:
    with pytest.raises(AssertionError):
        condition(text)(ITEM)


@pytest.mark.parametrize("text", ["DELETE n :one", "SET n = :one SET m = :one", "SET n", "SET n = n * :one"])
def test_what_is_no_known_update_is_refused(text: str) -> None:
    with pytest.raises(AssertionError):
        update(text)(ITEM)
