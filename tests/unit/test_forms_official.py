"""Every form's schema is valid by the protocol's own, and a form that is left as it is is accepted."""

import json
from collections.abc import Mapping
from copy import deepcopy
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import AnyUrl, Field, create_model

from mcp_tasks import Form
from tests.conformance import input_requests as conformance
from tests.unit import contexts, test_forms, test_forms_titles
from tests.unit.fields import TITLES, Number, Side

SCHEMAS = Path(__file__).parents[1] / "protocol" / "schema" / "mcp-2025-11-25.schema.json"


def closed(schema: Any) -> Any:
    """Return the definition without additional properties: clients need not understand any others."""
    if isinstance(schema, dict):
        inner = {name: closed(part) for name, part in schema.items()}
        return inner | {"additionalProperties": False} if "properties" in inner and "type" in inner else inner
    return [closed(part) for part in schema] if isinstance(schema, list) else schema


DEFINITIONS = json.loads(SCHEMAS.read_text())["$defs"]
FORM_PARAMS = "ElicitRequestFormParams"
# What the form itself says may be closed only above its fields, which have names of their own.
CLOSED = {name: closed(deepcopy(definition)) for name, definition in DEFINITIONS.items() if name.endswith("Schema")}
OFFICIAL = Draft202012Validator({"$ref": f"#/$defs/{FORM_PARAMS}", "$defs": DEFINITIONS | CLOSED})


def check(form: type[Form]) -> None:
    """Fail unless the protocol knows the form, and it can be sent."""
    shown = form.requested_schema()
    OFFICIAL.validate({"mode": "form", "message": "Please", "requestedSchema": shown})
    assert shown.keys() <= {"type", "properties", "required"}
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown


@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "string", "pattern": "a"}, {"type": "array"}, {}])
def test_the_check_finds_what_is_no_field(schema: Mapping[str, Any]) -> None:
    requested_schema = {"type": "object", "properties": {"field": schema}}

    assert not OFFICIAL.is_valid({"message": "Please", "requestedSchema": requested_schema})


@pytest.mark.parametrize(
    "form",
    [
        *(contexts.Name, contexts.Confirmation, test_forms.Address, test_forms.Attempt, test_forms_titles.Parcel, Form),
        *(conformance.Account, conformance.Defaults, conformance.Enums),
    ],
)
def test_a_form_of_ours_is_one(form: type[Form]) -> None:
    check(form)


def made(fields: Mapping[str, tuple[Any, Any]]) -> type[Form] | None:
    """Return a form with these fields unless it is rejected."""
    try:
        return create_model("InputRequested", __base__=Form, **fields)  # type: ignore[call-overload,no-any-return]  # any fields
    except TypeError as error:
        if "cannot be asked for" not in str(error):
            raise
        return None


numbers = st.integers(-5, 5)
bounds = st.fixed_dictionaries({}, optional={"ge": numbers, "le": numbers, "gt": numbers, "multiple_of": st.just(2)})
lengths = st.fixed_dictionaries({}, optional={"min_length": st.integers(0, 2), "max_length": st.integers(2, 5)})
formats = st.sampled_from(["email", "uri", "date", "date-time", "ipv4", "password"])
words = st.fixed_dictionaries({}, optional={"title": st.text(max_size=5), "description": st.text(max_size=5)})
choices = st.lists(st.sampled_from(["a", "b", "", "é", 1, True, None]), min_size=1, max_size=3, unique=True).map(
    lambda options: Literal[tuple(options)]
)


def annotated(hint: Any, *limits: Mapping[str, Any]) -> Any:
    return Annotated[hint, *[Field(**each) for each in limits]]


hints: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([str, int, float, bool, date, datetime, AnyUrl, Side, Number, bytes, object]),
    st.sampled_from([Literal["a"], Literal["a", "b"], Literal[1], list[str], list[Side], list[Number], set[Side]]),
    st.sampled_from([str | None, dict[str, str], list[Literal["a"]], list[Literal["a", 1]], list[Side | None]]),
    st.sampled_from([Annotated[Side, TITLES], list[Annotated[Side, TITLES]]]),
    choices,
    st.builds(lambda options: list[options], choices),  # type: ignore[valid-type]  # it is one when it is run
    st.builds(annotated, st.sampled_from([int, float]), bounds, words),
    st.builds(annotated, st.just(str), lengths, words),
    st.builds(annotated, st.just(list[Side]), lengths, words),
    st.builds(lambda name: Annotated[str, Field(json_schema_extra={"format": name})], formats),
)
defaults: st.SearchStrategy[Any] = st.one_of(
    st.just(...),
    st.sampled_from(["", "a", "b", 0, 1, -3, 2.5, True, None, Side.LEFT, Number.ONE, date(2026, 1, 2)]),
    st.sampled_from([float("nan"), float("inf"), (), ("a",), (Side.LEFT,)]),
)


@given(st.dictionaries(st.sampled_from(["name", "type", "Ünï", "default"]), st.tuples(hints, defaults), max_size=2))
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_a_form_that_is_let_through_is_one(fields: Mapping[str, tuple[Any, Any]]) -> None:
    form = made(fields)
    event("rejected" if form is None else "let through")

    if form is not None:
        check(form)


@given(hints, defaults)
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_a_form_that_is_let_through_is_accepted_as_it_was_filled_in(hint: Any, default: Any) -> None:
    form = made({"field": (hint, default)})
    event("rejected" if form is None else "let through")

    if form is not None and "required" not in form.requested_schema():
        field = form.requested_schema()["properties"]["field"]
        # An optional field has no default to send back.
        assert form.filled_in({"field": field["default"]} if "default" in field else {})
