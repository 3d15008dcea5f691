"""Checks, when tools are imported, that each state machine that one of them names has a file."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import COMMON_MACHINES, DEFAULT_MACHINE, DIRECT_MACHINE

FOLDERS = ("machines", "infra/machines")
# A clone is three folders above `layers/tools/python`; folders of that name further up are somebody else's.
HIGHEST = 3


class MissingMachine(ValueError):
    """A tool names a state machine that nobody has written; the message says what there is."""


def check_machines(module: ModuleType, tools: Iterable[Tool]) -> None:
    """Raise `MissingMachine` for the first of a module's tools whose state machine has no file.

    The files are in the nearest folder `machines` or `infra/machines` around the layer that the module is in: found by
    its path, as nothing there can be imported without the CDK.  Where there is none, as on Lambda, nothing is checked.
    """
    named = [tool for tool in tools if tool.machine not in COMMON_MACHINES]
    folder = _folder(module) if named else None
    if folder is None:
        return
    known = {DEFAULT_MACHINE, DIRECT_MACHINE, *_machines(folder)}
    for tool in named:
        if tool.machine not in known:
            raise MissingMachine(
                f"{tool.name}: there is no state machine {tool.machine!r}: write "
                f"{'/'.join(folder.parts[-2:])}/{tool.machine}.py, or name one that there is: "
                f"{', '.join(sorted(known))}."
            )


def _folder(module: ModuleType) -> Path | None:
    # Packages have a file one folder deeper, and a namespace package has none.
    depth = module.__name__.count(".") + hasattr(module, "__path__")
    file = getattr(module, "__file__", None)
    root = Path(file).parents[depth] if file else None
    # A layer's modules are below its `python/`; others, such as those of tests, may name machines of their own.
    if root is None or root.name != "python":
        return None
    return next((path for above in root.parents[:HIGHEST] for name in FOLDERS if (path := above / name).is_dir()), None)


def _machines(folder: Path) -> Iterator[str]:
    for path in folder.iterdir():
        if not path.name.startswith(("_", ".")) and (path.suffix == ".py" or path.is_dir()):
            yield path.stem
