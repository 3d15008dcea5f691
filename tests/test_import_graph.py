"""The searches of `import_graph` find what is planted for them."""

import pytest

from tests import import_graph

DEFERRED = "def f():\n    {0}from b import c\n    from d import e\n"


def test_a_circle_is_found_across_an_import_inside_a_function() -> None:
    sources = {"a": "import b", "b": "def f():\n    from p.c import g", "p.c": "if x:\n    import a", "d": "import a"}

    assert import_graph.circles(sources) == [["a", "b", "p.c"]]


def test_a_circle_of_types_alone_is_none() -> None:
    sources = {"a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import b", "b": "from a import A"}

    assert import_graph.circles(sources) == []


def test_the_other_branch_of_type_checking_counts() -> None:
    assert import_graph.circles({"a": "if TYPE_CHECKING:\n    pass\nelse:\n    import b", "b": "import a"})


@pytest.mark.parametrize(
    ("module", "line", "found"),
    [
        ("p.a", "from . import b", "p.b"),
        ("p.a", "from .b import c", "p.b"),
        ("p.q.d", "from ..b import c", "p.b"),
        ("p.q", "from .d import e", "p.q.d"),
        ("p.q", "from .. import b", "p.b"),
    ],
)
def test_a_relative_import_begins_at_the_module_s_package(module: str, line: str, found: str) -> None:
    assert list(import_graph.imported(module, line, dict.fromkeys(["p", "p.a", "p.b", "p.q", "p.q.d"]))) == [found]


def test_an_import_inside_a_function_without_a_reason_is_found() -> None:
    assert import_graph.unexplained(DEFERRED.format("")) == ["from b import c", "from d import e"]


def test_neighbours_share_a_reason() -> None:
    assert import_graph.unexplained(DEFERRED.format("# Saves 30 ms.\n    ")) == []


def test_an_import_of_the_module_needs_no_reason() -> None:
    assert import_graph.unexplained("from b import c\nif x:\n    import d\n") == []
