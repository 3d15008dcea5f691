"""Nothing of the template needs the adopter's tools, state machines and access: they may be changed and deleted."""

import ast
from collections.abc import Iterator

import pytest

from tests import import_graph
from tests.test_rooms import MODULES, ROOT, TESTS

OWN = ("tools", "infra.machines", "infra.tool_access", "tests.tools")
FILES = ("layers/tools/", "infra/machines/", "tests/tools/")
TOOL = "/".join(["layers/tools/python", "tools", "__init__.py"])
ALLOWED = {"infra.stack": ["infra.tool_access"]}
"""The one place where the template takes up what the adopter grants."""


def is_own(module: str) -> bool:
    return f"{module}.".startswith(tuple(f"{own}." for own in OWN))


ELSEWHERE = ("tests.first_day.", "tests.package.foreign.", "tests.template.", "tests.test_without_examples")
"""These write such files into copies of the template, or are an app that has tools of its own."""

CHECKED = {
    module: path
    for module, path in (MODULES | TESTS).items()
    if not is_own(module) and not module.startswith(ELSEWHERE)
}


def needed(module: str, source: str) -> Iterator[str]:
    """Yield what a module imports of the adopter's, and each file of theirs that it names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found = import_graph.imported_names(module, node, MODULES | TESTS)
            yield from (name for name in found if is_own(name) and name not in ALLOWED.get(module, []))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(FILES):
            yield from [node.value] if (ROOT / node.value).is_file() else []


@pytest.mark.parametrize("module", sorted(CHECKED))
def test_a_module_needs_nothing_of_the_adopters(module: str) -> None:
    assert list(needed(module, CHECKED[module].read_text())) == []


@pytest.mark.parametrize(
    ("module", "line", "found"),
    [
        ("tests.stack.sample_tools", "from tools import TOOLS", "tools"),
        ("local.serve", "def f():\n    import tools.greet", "tools.greet"),
        ("infra.server", "from .tool_access import ToolAccess", "infra.tool_access"),
        ("infra.machine_files", "from infra.machines import remind_me", "infra.machines"),
        ("tests.harness.fixtures", "from tests.tools.conftest import BUCKET", "tests.tools.conftest"),
        ("tests.bench", f"TOOL = ROOT / '{TOOL}'", TOOL),
    ],
)
def test_a_module_that_needs_something_is_caught(module: str, line: str, found: str) -> None:
    assert [name for name in needed(module, line) if f"{name}.".startswith(f"{found}.")] != []
