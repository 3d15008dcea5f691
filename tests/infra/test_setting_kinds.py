"""A setting of another kind is told in a sentence, at synth and by make serve."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from infra.setting_kinds import check_kind
from local.serve import memory_server
from mcp_tasks.features.listing import Features


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (str, ""),
        (bool, False),
        (int, 0),
        (float, 1),
        (float | None, None),
        (int | None, 3),
        (Sequence[str], ()),
        (Sequence[Mapping[str, Any]], [{}]),
        (Mapping[str, Any], {}),
    ],
)
def test_a_value_of_its_kind_is_accepted(kind: Any, value: object) -> None:
    check_kind("size", kind, value)


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        (str, 7, "size is a text, not 7"),
        (bool, "no", 'size is true or false, not "no"'),
        (bool, 0, "size is true or false, not 0"),
        (int, "20", 'size is a whole number, not "20"'),
        (int, True, "size is a whole number, not true"),
        (int, 1.5, "size is a whole number, not 1.5"),
        (int, None, "size is a whole number, not null"),
        (int | None, [], r"size is a whole number, not \[\]"),
        (float, False, "size is a number, not false"),
        (Sequence[str], "a", 'size is a list, not "a"'),
        (Mapping[str, Any], [], r"size is an object, not \[\]"),
        (str, object, "size is a text, not \"<class 'object'>\""),
    ],
)
def test_a_value_of_another_kind_is_told(kind: Any, value: object, says: str) -> None:
    with pytest.raises(ValueError, match=f"^{says}$"):
        check_kind("size", kind, value)


@pytest.mark.parametrize(
    ("stage", "says"),
    [
        ({"max_active_tasks": "20"}, 'max_active_tasks is a whole number, not "20"'),
        ({"hide_tools": "no"}, 'hide_tools is true or false, not "no"'),
        ({"plans": []}, r"plans is an object, not \[\]"),
        ({"server_name": 7}, "server_name is a text, not 7"),
    ],
)
def test_make_serve_tells_the_same(stage: Mapping[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=f"^{says}$"):
        memory_server(Features.of([]), stage)
