"""Compiles bytecode for Lambda's Python 3.13: by this Python if it is that one, or by CPython 3.13 as WebAssembly."""

import compileall
import subprocess
import sys
from collections.abc import Callable
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from py_compile import PycInvalidationMode

PYODIDE = "pyodide@0.29.4"
COMPILER = "CPython 3.13"
# What bytecode of Python 3.13 begins with, and that of no other.
PYTHON_3_13 = (3571).to_bytes(2, "little") + b"\r\n"

ERRORS_ONLY, SILENT = 1, 2
"""How quiet `compileall` is."""
SHOWN = 5

# Of a clone, and of an app that this is installed for.
NODE_MODULES = (Path(__file__).parents[2] / ".local" / "node" / "node_modules", Path("node_modules"))
SCRIPT = Path(__file__).with_name("compile.mjs")


class CompilerMissing(Exception):
    """There is no Python 3.13 here; the text says how to get one."""


def compile_python(folder: Path, *, at: str, own: Callable[[Path], bool] = lambda source: True) -> None:
    """Write unchecked bytecode beside every source in a folder; tracebacks will name the path `at`.

    A source of a package, which is not `own`, may be for another Python: it is left as it is, with a note, as pip does.

    Raises:
        CompilerMissing: This is another Python, and Pyodide is not installed.
        SystemExit: A source cannot be compiled; the compiler has printed why.
    """
    compiled = compile_here if MAGIC_NUMBER == PYTHON_3_13 else _compile_as_web_assembly
    if compiled(folder, at=at, quiet=SILENT):
        return
    left = [source for source in sorted(folder.rglob("*.py")) if not _has_bytecode(source)]
    if not left or any(map(own, left)):
        # Once more, to have it print why.
        compiled(folder, at=at, quiet=ERRORS_ONLY)
        raise SystemExit("Python 3.13 cannot compile what is to be deployed, for the reason above.")
    names = ", ".join(source.relative_to(folder).as_posix() for source in left[:SHOWN])
    more = f" and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
    sys.stderr.write(f"Deployed as source, since Python 3.13 cannot compile it: {names}{more}.\n")


def compile_here(folder: Path, *, at: str, quiet: int = ERRORS_ONLY) -> bool:
    """Compile with this Python, and return whether that went well."""
    unchecked = PycInvalidationMode.UNCHECKED_HASH
    done = compileall.compile_dir(folder, maxlevels=100, ddir=at, force=True, quiet=quiet, invalidation_mode=unchecked)
    return bool(done)


def _has_bytecode(source: Path) -> bool:
    tag = sys.implementation.cache_tag if MAGIC_NUMBER == PYTHON_3_13 else "cpython-313"
    return (source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc").exists()


def _compile_as_web_assembly(folder: Path, *, at: str, quiet: int) -> bool:
    modules = next((each.resolve() for each in NODE_MODULES if (each / "pyodide").is_dir()), None)
    if modules is None:
        raise CompilerMissing(
            "Lambda runs bytecode of Python 3.13, and this is another Python: run the app with Python 3.13, or install "
            f"that as WebAssembly beside the app with `npm install {PYODIDE}` (in a clone, `make synth` does)."
        )
    command = ["node", str(SCRIPT), str(modules), str(folder), at, str(quiet)]
    return not subprocess.run(command, check=False).returncode
