"""Runs mutmut, from an environment of its own, and reads by its commands what became of each mutant."""

import os
import subprocess
import sysconfig
from collections import Counter
from pathlib import Path

from tests.checkout import ROOT
from tests.mutation.survivors import Mutant
from tests.mutation.workplace import PATHS

ENVIRONMENT = ROOT / ".local/mutation"
MUTMUT = ENVIRONMENT / "bin/mutmut"
SURVIVED = frozenset({"survived", "no tests"})
NOTICED = frozenset({"killed", "timeout"})


def run(place: Path, cores: int) -> None:
    """Run the tests near each mutant; raises `SystemExit` where they fail without one."""
    # Tests need what .venv has, and start the Python that they run in, which must have mutmut too.
    (packages,) = ENVIRONMENT.glob("lib/*/site-packages")
    (packages / "venv.pth").write_text(sysconfig.get_path("purelib"))
    if subprocess.run(
        [MUTMUT, "run", "--max-children", str(cores)], cwd=place, env=_environ(place), check=False
    ).returncode:
        raise SystemExit("mutmut could not run, for the reason above")


def results(place: Path) -> dict[str, str]:
    """Return what became of each mutant, by mutmut's name for it; raises `SystemExit` where nobody knows."""
    lines = _printed(place, "results", "--all", "true").splitlines()
    found = dict(line.strip().rsplit(": ", 1) for line in lines if "__mutmut_" in line)
    if unknown := {name: status for name, status in found.items() if status not in SURVIVED | NOTICED}:
        raise SystemExit(f"mutmut did not find out what becomes of {unknown}")
    return found


def survivors(place: Path, found: dict[str, str]) -> Counter[Mutant]:
    """Return the mutants that nothing noticed."""
    names = [name for name, status in found.items() if status in SURVIVED]
    return Counter(mutant_of(name, _printed(place, "show", name)) for name in names)


def mutant_of(name: str, shown: str) -> Mutant:
    """Return a mutant by mutmut's name for it and its diff."""
    module, _, mangled = name.rpartition("__mutmut_")[0].rpartition(".")
    function = mangled.removeprefix("xǁ").replace("ǁ", ".") if "ǁ" in mangled else mangled.removeprefix("x_")
    changed = shown.partition("\n@@")[2].splitlines()[1:]
    before, after = (" ".join(line[1:].strip() for line in changed if line[0] == sign) for sign in "-+")
    return Mutant(f"{module.removeprefix('mcp_tasks.').replace('.', '/')}.py", function, before, after)


def _printed(place: Path, *arguments: str) -> str:
    return subprocess.run(
        [MUTMUT, *arguments], cwd=place, env=_environ(place), check=True, capture_output=True, text=True
    ).stdout


def _environ(place: Path) -> dict[str, str]:
    """Return variables with which mutmut, and what tests start, import what is mutated."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(str(place / "mutants" / each) for each in PATHS)}
