"""The evaluator of policies says what IAM's documentation says, and refuses what it does not know."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.isolation.conditions import UnknownPolicy
from tests.isolation.policies import Request, Statement, allowed, statements_of
from tests.isolation.wildcards import matches

TABLE = "arn:aws:dynamodb:eu-west-1:123456789012:table/tasks"
TENANT = "${aws:PrincipalTag/tenant}"
LEADING = "dynamodb:LeadingKeys"
TAG = "aws:PrincipalTag/tenant"


def says(request: Request, *documents: dict[str, Any]) -> bool:
    usual = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    return allowed([Statement.of(usual | document) for document in documents], request)


def a_get(resource: str = TABLE, **context: tuple[str, ...]) -> Request:
    names = {"keys": LEADING, "tenant": TAG}
    return Request(
        action="dynamodb:GetItem",
        resource=resource,
        context={names[name]: values for name, values in context.items()},
    )


def when(operator: str, *values: str, key: str = LEADING) -> dict[str, Any]:
    return {"Condition": {operator: {key: list(values)}}}


def test_what_no_statement_allows_is_denied() -> None:
    assert not says(a_get())
    assert not says(a_get(), {"Effect": "Deny"})
    assert says(a_get(), {})


def test_an_explicit_deny_wins_in_any_order() -> None:
    deny = {"Effect": "Deny", "Action": "dynamodb:GetItem", "Resource": TABLE}

    assert not says(a_get(), {}, deny)
    assert not says(a_get(), deny, {})
    assert says(a_get("arn:aws:dynamodb:eu-west-1:123456789012:table/other"), {}, deny)


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ({"Action": "dynamodb:GetItem"}, True),
        ({"Action": "DynamoDB:getitem"}, True),
        ({"Action": ["s3:GetObject", "dynamodb:Get*"]}, True),
        ({"Action": "dynamodb:?etItem"}, True),
        ({"Action": "dynamodb:Get"}, False),
        ({"Action": "dynamodb:GetItem?"}, False),
        ({"Resource": TABLE}, True),
        ({"Resource": f"{TABLE}/*"}, False),
        ({"Resource": f"{TABLE}*"}, True),
        ({"Resource": TABLE.upper()}, False),
        ({"Resource": "arn:aws:dynamodb:*"}, True),
        ({"Resource": "arn:aws:dynamodb:*:*:table/tasks"}, True),
        ({"Resource": []}, False),
    ],
)
def test_an_action_has_no_case_and_a_resource_has(element: dict[str, Any], expected: bool) -> None:
    assert says(a_get(), element) is expected


def test_an_opposite_is_about_everything_else() -> None:
    def statement(**elements: Any) -> Statement:
        return Statement.of({"Effect": "Allow", **elements})

    all_but_reads = statement(NotAction=["dynamodb:Get*"], Resource="*")
    all_but_the_table = statement(Action="*", NotResource=[TABLE])
    put = Request(action="dynamodb:PutItem", resource=TABLE)

    assert not allowed([all_but_reads], a_get())
    assert allowed([all_but_reads], put)
    assert not allowed([all_but_the_table], put)
    assert allowed([all_but_the_table], a_get(f"{TABLE}/index/live"))


@pytest.mark.parametrize(
    ("operator", "values", "sent", "expected"),
    [
        ("ForAllValues:StringEquals", ["a", "b"], ("a",), True),
        ("ForAllValues:StringEquals", ["a", "b"], ("a", "b"), True),
        ("ForAllValues:StringEquals", ["a"], ("a", "b"), False),
        ("ForAllValues:StringEquals", ["a*"], ("ab",), False),
        ("ForAllValues:StringEquals", ["a"], (), True),
        ("ForAllValues:StringEquals", ["a"], ("",), True),
        ("ForAllValues:StringLike", ["a#*"], ("a#x", "a#y"), True),
        ("ForAllValues:StringLike", ["a#*"], ("a#x", "b#y"), False),
        ("ForAllValues:StringNotEquals", ["!"], ("a#x",), True),
        ("ForAllValues:StringNotEquals", ["!"], ("a#x", "!"), False),
        ("ForAnyValue:StringEquals", ["a"], ("a", "b"), True),
        ("ForAnyValue:StringEquals", ["a"], ("b",), False),
        ("ForAnyValue:StringEquals", ["a"], (), False),
        ("ForAnyValue:StringNotEquals", ["a"], (), False),
        ("ForAnyValue:StringEqualsIfExists", ["a"], (), True),
    ],
)
def test_a_set_operator_holds_as_documented(operator: str, values: list[str], sent: Any, expected: bool) -> None:
    assert says(a_get(keys=sent), when(operator, *values)) is expected


def test_a_request_without_keys_passes_what_all_keys_must() -> None:
    scan = Request(action="dynamodb:Scan", resource=TABLE)

    assert says(scan, when("ForAllValues:StringEquals", "own"))
    assert not says(scan, when("ForAnyValue:StringEquals", "own"))


@pytest.mark.parametrize("sent", [(), ("",), ("a#x",), ("a#x", "b#y")])
def test_a_key_is_null_where_it_is_absent(sent: tuple[str, ...]) -> None:
    assert says(a_get(keys=sent), {"Condition": {"Null": {LEADING: "true"}}}) == (not any(sent))
    assert says(a_get(keys=sent), {"Condition": {"Null": {LEADING: "false"}}}) == any(sent)


@pytest.mark.parametrize(
    ("operator", "sent", "expected"),
    [
        ("StringEquals", ("acme",), True),
        ("StringEquals", ("rival",), False),
        ("StringEquals", (), False),
        ("StringEqualsIfExists", (), True),
        ("StringNotEquals", (), True),
        ("StringNotEquals", ("acme",), False),
        ("StringNotLike", ("acne",), True),
    ],
)
def test_an_operator_on_one_value_holds_as_documented(operator: str, sent: Any, expected: bool) -> None:
    assert says(a_get(tenant=sent), when(operator, "acme", key=TAG)) is expected


def test_all_conditions_of_a_statement_must_hold() -> None:
    both = {"Condition": {"StringEquals": {TAG: "acme"}, "ForAllValues:StringLike": {LEADING: "acme#*"}}}

    assert says(a_get(tenant=("acme",), keys=("acme#ada",)), both)
    assert not says(a_get(tenant=("rival",), keys=("acme#ada",)), both)
    assert not says(a_get(tenant=("acme",), keys=("rival#eve",)), both)


def test_a_tag_of_the_principal_stands_for_its_value() -> None:
    own = {"Resource": f"{TABLE}-{TENANT}", **when("ForAllValues:StringLike", f"{TENANT}#*")}
    table = f"{TABLE}-acme"

    assert says(a_get(table, tenant=("acme",), keys=("acme#ada",)), own)
    assert not says(a_get(table, tenant=("acme",), keys=("acmes#ada",)), own)
    assert not says(a_get(f"{TABLE}-rival", tenant=("acme",), keys=("acme#ada",)), own)


def test_a_statement_whose_variable_has_no_value_is_about_nothing() -> None:
    assert not says(a_get(keys=("acme#ada",)), when("ForAllValues:StringNotLike", f"{TENANT}#*"))
    assert not says(a_get(), {"Resource": f"*{TENANT}"})


def test_a_tag_that_could_be_a_pattern_is_refused() -> None:
    with pytest.raises(UnknownPolicy):
        says(a_get(tenant=("*",), keys=("rival#eve",)), when("ForAllValues:StringLike", f"{TENANT}#*"))


@pytest.mark.parametrize(
    "changes",
    [
        {"Principal": "*"},
        {"Effect": "allow"},
        {"NotAction": "s3:*"},
        {"NotResource": "*"},
        {"Effect": "Deny", "Resource": "arn:aws:s3:::pay*loads"},
        {"Resource": "${aws:username}"},
        {"Resource": "${*}"},
        when("StringEquals", "a"),
        when("ForAllValues:StringEquals", "a", key=TAG),
        when("ForAllValues:StringEqualsIgnoreCase", "a"),
        when("Bool", "false", key="aws:SecureTransport"),
        when("StringEquals", "a", key="aws:PrincipalOrgID"),
        when("Null", "no"),
        when("NullIfExists", "false"),
        when("Null", "false", key="aws:SecureTransport"),
        when("ForAllValues:ArnLike", "a"),
        when("ForAllValues:StringLike", "${aws:PrincipalTag/tenant, 'acme'}#*"),
    ],
)
def test_what_is_not_known_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(UnknownPolicy):
        says(a_get(), changes)


def test_a_statement_needs_an_action_and_a_resource() -> None:
    for element in ("Action", "Resource"):
        with pytest.raises(UnknownPolicy):
            Statement.of({"Effect": "Allow", element: "*"})


def test_a_policy_is_of_the_language_that_has_variables() -> None:
    statement = {"Effect": "Allow", "Action": "*", "Resource": "*"}

    assert len(statements_of({"Version": "2012-10-17", "Statement": statement})) == 1
    with pytest.raises(UnknownPolicy):
        statements_of({"Version": "2008-10-17", "Statement": [statement]})


def by_definition(pattern: str, text: str) -> bool:
    """Return the same as `matches`, as one would define it."""
    if not pattern:
        return not text
    first, rest = pattern[0], pattern[1:]
    if first == "*":
        return any(by_definition(rest, text[begin:]) for begin in range(len(text) + 1))
    return bool(text) and first in ("?", text[0]) and by_definition(rest, text[1:])


@given(st.text("ab:*?", max_size=7), st.text("ab:*?", max_size=8))
def test_a_wildcard_is_what_it_is_by_definition(pattern: str, text: str) -> None:
    assert matches(pattern, text) == by_definition(pattern, text)


@given(st.lists(st.text("ab:/#", max_size=4), min_size=1, max_size=6), st.text("ab:/#", max_size=3))
def test_a_pattern_matches_what_is_put_in_for_its_stars(parts: list[str], between: str) -> None:
    assert matches("*".join(parts), between.join(parts))


def test_many_stars_that_match_nothing_end_soon() -> None:
    # One that tries every way to share the text out among the stars would not end at all.
    assert not matches("a*" * 60 + "b", "a" * 2_000)
