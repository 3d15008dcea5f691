"""Hypothesis strategies: any JSON, and values that are almost valid input responses."""

from typing import Any, Final

from hypothesis import strategies as st

json_values: Final[st.SearchStrategy[Any]] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)

_fields = st.sampled_from(["title", "public", "ok", "name"]) | st.text(max_size=3)
_blocks = st.fixed_dictionaries({}, optional={"type": st.sampled_from(["text", "image", 7]), "text": json_values})
_roots = st.fixed_dictionaries({}, optional={"uri": json_values, "name": json_values})

results: Final[st.SearchStrategy[dict[str, Any]]] = st.fixed_dictionaries(
    {},
    optional={
        "action": st.sampled_from(["accept", "accept", "decline", "cancel", "ACCEPT"]) | json_values,
        "content": st.dictionaries(_fields, json_values, max_size=3) | _blocks | st.lists(_blocks) | json_values,
        "role": st.sampled_from(["assistant", "user", "system"]) | json_values,
        "model": st.text(max_size=3) | json_values,
        "stopReason": json_values,
        "roots": st.lists(_roots, max_size=3) | json_values,
        "task": json_values,
        "_meta": json_values,
    },
)
"""Values that are almost valid results, of one kind or of several at once."""

errors: Final[st.SearchStrategy[dict[str, Any]]] = st.fixed_dictionaries(
    {}, optional={"code": st.integers() | json_values, "message": st.text() | json_values, "data": json_values}
)
"""Values that are almost valid errors."""
