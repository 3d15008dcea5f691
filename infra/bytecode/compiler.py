"""Compiles bytecode for Lambda's Python 3.13 under any Python, by CPython 3.13 as WebAssembly."""

import subprocess
from pathlib import Path

COMPILER = "pyodide 0.29.4: CPython 3.13"
NODE_MODULES = Path(__file__).parents[2] / ".local" / "node" / "node_modules"
SCRIPT = Path(__file__).with_name("compile.mjs")


class CompilerMissing(Exception):
    """The node packages are not installed; the text says how to get them."""


def compile_python(folder: Path, *, at: str, node_modules: Path = NODE_MODULES) -> None:
    """Write unchecked bytecode beside every source in a folder; tracebacks will name the path `at`.

    Raises:
        CompilerMissing: Pyodide is not installed.
    """
    if not (node_modules / "pyodide").is_dir():
        raise CompilerMissing(f"no Python compiler in {node_modules}: `make synth` installs it")
    subprocess.run(["node", str(SCRIPT), str(node_modules), str(folder), at], check=True)
