"""Compiles bytecode for Lambda's Python 3.13: by this Python if it is that one, or by CPython 3.13 as WebAssembly."""

import compileall
import subprocess
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from py_compile import PycInvalidationMode

PYODIDE = "pyodide@0.29.4"
COMPILER = "CPython 3.13"
# What bytecode of Python 3.13 begins with, and that of no other.
PYTHON_3_13 = (3571).to_bytes(2, "little") + b"\r\n"

# Of a clone, and of an app that this is installed for.
NODE_MODULES = (Path(__file__).parents[2] / ".local" / "node" / "node_modules", Path("node_modules"))
SCRIPT = Path(__file__).with_name("compile.mjs")


class CompilerMissing(Exception):
    """There is no Python 3.13 here; the text says how to get one."""


def compile_python(folder: Path, *, at: str) -> None:
    """Write unchecked bytecode beside every source in a folder; tracebacks will name the path `at`.

    Raises:
        CompilerMissing: This is another Python, and Pyodide is not installed.
        SystemExit: A source cannot be compiled; the compiler has printed why.
    """
    if not (compile_here(folder, at=at) if MAGIC_NUMBER == PYTHON_3_13 else _compile_as_web_assembly(folder, at=at)):
        raise SystemExit("Python 3.13 cannot compile what is to be deployed, for the reason above.")


def compile_here(folder: Path, *, at: str) -> bool:
    """Compile with this Python, and return whether that went well."""
    unchecked = PycInvalidationMode.UNCHECKED_HASH
    done = compileall.compile_dir(folder, maxlevels=100, ddir=at, force=True, quiet=1, invalidation_mode=unchecked)
    return bool(done)


def _compile_as_web_assembly(folder: Path, *, at: str) -> bool:
    modules = next((each.resolve() for each in NODE_MODULES if (each / "pyodide").is_dir()), None)
    if modules is None:
        raise CompilerMissing(
            "Lambda runs bytecode of Python 3.13, and this is another Python: run the app with Python 3.13, or install "
            f"that as WebAssembly beside the app with `npm install {PYODIDE}` (in a clone, `make synth` does)."
        )
    return not subprocess.run(["node", str(SCRIPT), str(modules), str(folder), at], check=False).returncode
