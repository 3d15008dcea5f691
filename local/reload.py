"""Notices saved tools, and imports them anew in a process that has imported them before."""

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from traceback import StackSummary, TracebackException
from types import ModuleType

from mcp_tasks.features.import_advice import advice
from mcp_tasks.features.listing import Features

POLL_SECONDS = 0.1
SETTLED_SECONDS = 0.05
"""Editors save a file in several steps, and a checkout saves many files."""
THE_SERVERS = frozenset({"__main__", "functions", "infra", "local", "mcp_tasks"})
"""Packages that may lie beside a module of tools, and are not imported anew with it."""
ENDING_SECONDS = 1
LOCKED = "A package from PyPI goes into layers/tools/requirements.in, which make lock locks."


class Sources:
    """The Python files of a module of tools: all in the folder of its outermost package, or else beside the module."""

    def __init__(self, module: str) -> None:
        """Remember the files as they are now; raises `ModuleNotFoundError`."""
        self.module = module
        self.folder = _folder(module.partition(".")[0])
        self._before = self._saved()

    @contextmanager
    def watching(self, take_up: Callable[[Sequence[Path]], None]) -> Iterator[None]:
        """Call `take_up` with the files, each time that some are saved or removed, until the context ends."""
        ended = threading.Event()
        thread = threading.Thread(target=self._watch, args=(take_up, ended), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            # A tool that is imported just now may take its time, or all time.
            thread.join(ENDING_SECONDS)

    def imported_anew(self) -> Features:
        """Import the module again, with all others of the folder; if that fails, those imported before stay."""
        before = self._imported()
        _forget(before)
        importlib.invalidate_caches()
        try:
            return Features.of_module(self.module)
        except BaseException:
            _forget(self._imported())
            sys.modules.update(before)
            raise

    def _watch(self, take_up: Callable[[Sequence[Path]], None], ended: threading.Event) -> None:
        while not ended.wait(POLL_SECONDS):
            before, after = self._before, self._saved()
            while before != after and not ended.wait(SETTLED_SECONDS) and after != (later := self._saved()):
                after = later
            self._before = after
            changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
            for path in changed:
                # Bytecode is compared by seconds and size: a file that is saved twice in a second may look the same.
                Path(cache_from_source(str(path))).unlink(missing_ok=True)
            if changed:
                take_up(changed)

    def _imported(self) -> dict[str, ModuleType]:
        # A copy, since tools that run may import something meanwhile.
        return {name: module for name, module in [*sys.modules.items()] if self._has(name, module)}

    def _has(self, name: str, module: ModuleType) -> bool:
        file = getattr(module, "__file__", None)
        if file is None or name.partition(".")[0] in THE_SERVERS:
            return False
        path = Path(file).resolve()
        if not path.is_relative_to(self.folder):
            return False
        # Virtual environments are hidden folders.
        return not any(part.startswith(".") for part in path.relative_to(self.folder).parts)

    def _saved(self) -> Mapping[Path, int]:
        return dict(_times(self.folder))


def explained(error: BaseException, folder: Path) -> str:
    """Return the traceback of an import with only the lines of the folder in it, where there are any."""
    trace = TracebackException.from_exception(error)
    theirs = [frame for frame in trace.stack if folder in Path(frame.filename).resolve().parents]
    trace.stack = StackSummary.from_list(theirs or trace.stack)
    hint = LOCKED if isinstance(error, ModuleNotFoundError) else advice(error)
    return "\n".join(filter(None, ["".join(trace.format()).rstrip(), hint]))


def _folder(module: str) -> Path:
    spec = find_spec(module)
    if spec is None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    for folder in spec.submodule_search_locations or ():
        return Path(folder).resolve()
    return Path(spec.origin or "").resolve().parent


def _forget(modules: Mapping[str, ModuleType]) -> None:
    for name in modules:
        sys.modules.pop(name, None)


def _times(folder: Path) -> Iterator[tuple[Path, int]]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        for path in (Path(parent, name) for name in files if name.endswith(".py") and not name.startswith(".")):
            try:
                yield path, path.stat().st_mtime_ns
            except OSError:
                # Removed meanwhile: many editors replace a file by a new one.
                continue
