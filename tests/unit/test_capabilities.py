"""A client's declared capabilities: no input is requested that was not declared."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.tasks.model import JSON, InputRequest
from mcp_tasks.wire.capabilities import REQUIRED, capability_needed, client_capabilities


@pytest.mark.parametrize(
    ("declared", "found"),
    [
        ({}, set()),
        ({"elicitation": {}}, {"elicitation.form"}),
        ({"elicitation": {"form": {}}}, {"elicitation.form"}),
        ({"elicitation": {"url": {}}}, {"elicitation.url"}),
        ({"elicitation": {"form": {}, "url": {}}}, {"elicitation.form", "elicitation.url"}),
        ({"elicitation": {"form": {"more": 1}, "new": {}}}, {"elicitation.form"}),
        ({"elicitation": {"new": {}}}, set()),
        ({"sampling": {}}, {"sampling"}),
        ({"sampling": {"tools": {}}}, {"sampling", "sampling.tools"}),
        ({"sampling": {"context": {}}}, {"sampling"}),
        ({"roots": {}}, {"roots"}),
        ({"roots": {"listChanged": True}}, {"roots"}),
        ({"tasks": {}, "experimental": {"roots": {}}}, set()),
        (
            {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}},
            {"elicitation.form", "elicitation.url", "sampling", "sampling.tools", "roots"},
        ),
    ],
)
def test_a_client_can_be_asked_what_it_declares(declared: dict[str, JSON], found: set[str]) -> None:
    assert client_capabilities(declared) == found


@pytest.mark.parametrize("nonsense", [None, True, False, 0, 1, "", "yes", [], ["form"], [{}]])
def test_what_is_no_object_declares_nothing(nonsense: JSON) -> None:
    assert client_capabilities({"elicitation": nonsense, "sampling": nonsense, "roots": nonsense}) == set()
    assert client_capabilities({"elicitation": {"form": nonsense, "url": nonsense}}) == set()
    assert client_capabilities({"sampling": {"tools": nonsense}}) == {"sampling"}


@pytest.mark.parametrize("capability", REQUIRED)
def test_whoever_declares_what_is_required_has_the_capability(capability: str) -> None:
    assert capability in client_capabilities(REQUIRED[capability])


@given(
    st.dictionaries(
        st.sampled_from(["elicitation", "sampling", "roots", "tasks"]),
        st.none()
        | st.booleans()
        | st.dictionaries(st.sampled_from(["form", "url", "tools"]), st.sampled_from([{}, None, 1])),
    )
)
def test_to_declare_more_never_takes_a_capability_away(declared: dict[str, Any]) -> None:
    more = {**declared, "roots": {}, "new": {}}

    assert client_capabilities(declared) <= client_capabilities(more)
    assert client_capabilities(declared) <= REQUIRED.keys()


@pytest.mark.parametrize(
    ("method", "params", "capability"),
    [
        ("elicitation/create", {"mode": "form", "message": "", "requestedSchema": {}}, "elicitation.form"),
        ("elicitation/create", {"message": "", "requestedSchema": {}}, "elicitation.form"),
        ("elicitation/create", {"mode": "url", "message": "", "url": "https://x"}, "elicitation.url"),
        ("sampling/createMessage", {"messages": []}, "sampling"),
        ("sampling/createMessage", {"messages": [], "tools": []}, "sampling.tools"),
        ("sampling/createMessage", {"messages": [], "toolChoice": {}}, "sampling.tools"),
        ("roots/list", {}, "roots"),
    ],
)
def test_an_input_request_has_the_capability_it_needs(method: str, params: dict[str, JSON], capability: str) -> None:
    assert capability_needed(InputRequest(key="k", method=method, params=params)) == capability
