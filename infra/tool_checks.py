"""Checks of tools, at synth: what would deploy and then not work fails with a sentence that says what to do."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from . import no_machine
from .bytecode.wheels import LOCK, unlocked
from .tools import Tools


def refuse_unknown_machines(catalogue: str, machines: Iterable[str], package: str | None) -> None:
    """Refuse tools that name a state machine which is not among these of a package; raises `SystemExit`."""
    known = sorted({*machines, no_machine.NAME})
    for tool in json.loads(catalogue)["tools"]:
        if (lost := tool["machine"]) not in known:
            in_package = f"{lost}.py in a package, and name that in TaskServer(machines=...)"
            file = f"{package.replace('.', '/')}/{lost}.py" if package else in_package
            raise SystemExit(
                f"{tool['name']}: there is no state machine {lost!r}: write {file}, or name one that there is: "
                f"{', '.join(known)}."
            )


def refuse_longer_ttl(catalogue: str, longest: float) -> None:
    """Refuse tools whose tasks are to be kept for longer than any task is, in seconds; raises `SystemExit`."""
    for tool in json.loads(catalogue)["tools"]:
        if (ttl := tool["ttl"] or 0) > longest:
            raise SystemExit(
                f"{tool['name']}: its tasks are to be kept for {ttl:.0f} seconds, and max_ttl_seconds is "
                f"{longest:.0f}: raise that in cdk.json, or give the tool a shorter ttl."
            )


def refuse_unlocked(layers: Iterable[Path]) -> None:
    """Refuse layers that require what is not locked, or without a hash; raises `SystemExit`."""
    for layer in layers:
        if missing := unlocked(layer):
            raise SystemExit(
                f"{os.path.relpath(layer)}/requirements.txt does not have {', '.join(missing)} with a hash: run {LOCK}."
            )


def refuse_missing_tools(tools: Tools) -> None:
    """Refuse a folder or a module of tools that is not there; raises `SystemExit`."""
    package = tools.module.partition(".")[0]
    # The folder that the app runs in is on the path too, as in the tests of the template.
    folders = [Path(tools.folder, "python"), Path()]
    if not any((folder / name).exists() for folder in folders for name in (package, f"{package}.py")):
        raise SystemExit(
            f"There is no package {package} in {os.path.relpath(folders[0])}, where Tools({str(tools.folder)!r}, "
            f"{tools.module!r}) looks for it: name a folder whose python/ has the package with TOOLS."
        )


def refuse_taken_names(layer: Path) -> None:
    """Refuse tools with a package that has the name of one of the server's; raises `SystemExit`."""
    for name in ("functions", "mcp_tasks"):
        if (taken := layer / "python" / name).exists():
            raise SystemExit(
                f"{os.path.relpath(taken)}: Lambda finds the server's package of that name in its place: rename it."
            )
