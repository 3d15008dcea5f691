"""What modules import of each other: the circles in that, and the imports inside functions that give no reason.

Imports below `if TYPE_CHECKING:` are left out: a type checker alone reads them, so they run in no process, bind no
module to the order in which others are loaded, and cost no cold start.
"""

import ast
from collections.abc import Iterator, Mapping

Import = ast.Import | ast.ImportFrom


def circles(sources: Mapping[str, str]) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or not, inside functions too.

    That a module's package is run before it counts for nothing: a package that imports its own parts would always be
    a circle.
    """
    graph = {
        module: (set(imported(module, source, sources)) & sources.keys()) - {module}
        for module, source in sources.items()
    }
    reach = {module: _reachable(graph, module) for module in graph}
    groups = {frozenset(other for other in reach[module] if module in reach[other]) for module in graph}
    return sorted(sorted(group) for group in groups if group)


def imported(module: str, source: str, known: Mapping[str, object]) -> Iterator[str]:
    """Yield the names of what a module imports when it is run, or when its functions are."""
    for _, node in _imports(ast.parse(source)):
        yield from imported_names(module, node, known)


def imported_names(module: str, node: Import, known: Mapping[str, object]) -> Iterator[str]:
    """Yield the modules that one statement of a module imports; `known` tells a module from a name in one."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    origin = _origin(module, node, known)
    for alias in node.names:
        submodule = f"{origin}.{alias.name}"
        yield submodule if submodule in known else origin


def _origin(module: str, node: ast.ImportFrom, known: Mapping[str, object]) -> str:
    """Return what a statement imports from, which begins at the module's own package if it has dots."""
    named = [node.module] if node.module else []
    if not node.level:
        return ".".join(named)
    # A package is its own first dot.
    ups = node.level - any(other.startswith(f"{module}.") for other in known)
    parts = module.split(".")
    return ".".join(parts[: len(parts) - ups] + named)


def unexplained(source: str) -> list[str]:
    """Return the imports inside functions with no comment on the line above, neither theirs nor their neighbours'."""
    lines = source.splitlines()
    explained: set[int] = set()
    found = []
    for in_function, node in _imports(ast.parse(source)):
        if not in_function:
            continue
        above = node.lineno - 1
        while above and not lines[above - 1].strip():
            above -= 1
        if above in explained or lines[above - 1].lstrip().startswith("#"):
            explained.add(node.end_lineno or node.lineno)
        else:
            found.append(ast.unparse(node))
    return found


def _imports(tree: ast.AST, in_function: bool = False) -> Iterator[tuple[bool, Import]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Import):
            yield in_function, node
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for other in node.orelse:
                yield from _imports(ast.Module([other], []), in_function)
        else:
            yield from _imports(node, in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """Return what a module leads to; itself only where there is a way back."""
    found: set[str] = set()
    left = [start]
    while left:
        for each in graph[left.pop()] - found:
            found.add(each)
            left.append(each)
    return found
