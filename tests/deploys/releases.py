"""Releases of this template that are deployed one after the other, each from a folder of its own."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import copy
from typing import Any, Final

from local.deploy import deploy_assembly, synthesise, write_catalogue
from local.emulator import Emulator, python_path
from tests.checkout import ROOT, copied
from tests.template.releases import git, previous_release, unpack

STACK: Final = "McpTaskExamples-local"
WITH_VERSIONS: Final = "infra/release.py"
"""The file that gives functions versions, which 0.3 does not have: its code cannot answer beside that of another."""

WITH_COUNTERS: Final = "layers/core/python/mcp_tasks/adapters/dynamodb/counters.py"
"""The file of the counters that this release shares with 0.3; commits between the two had others beside them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release that is ready to be deployed; `version` is what its code calls itself."""

    version: str
    assembly: Path

    @property
    def digest(self) -> str:
        """Return the variable `RELEASE` of its functions; 0.3 has none."""
        variables = [_variables(each) for each in _functions(_template(self.assembly))]
        (digest,) = {each.get("RELEASE", "") for each in variables}
        return str(digest)

    def deploy(self, emulator: Emulator) -> Mapping[str, str]:
        """Deploy it, and return the outputs of the stack."""
        return deploy_assembly(emulator, self.assembly)


def before(folder: Path) -> Path:
    """Write the newest release before this checkout into a folder, and return that."""
    return unpack(previous_release()[1], folder)


def older(folder: Path) -> Path:
    """Write the code of the release before this one into a folder, and return that.

    While no release has versions of its functions, it is the first commit that has them and counts as releases do.
    """
    commit = previous_release()[1]
    if not git(ROOT, "ls-tree", commit, WITH_VERSIONS):
        (added,) = git(ROOT, "log", "--diff-filter=A", "--format=%H", "--", WITH_COUNTERS).decode().split()
        commit = added
    return unpack(commit, folder)


def newer(folder: Path) -> Path:
    """Write this checkout into a folder, and return that."""
    return copied(folder)


def made(root: Path, emulator: Emulator, context: Mapping[str, Any], version: str | None = None) -> Release:
    """Make the code in a folder a release of this version, with the tools of these tests, and synthesise it.

    On the emulator a function's code is where its import path leads, which is a variable that every version keeps.
    """
    home = root / "layers/core/python/mcp_tasks/version.py"
    if version:
        home.write_text(re.sub('(?<=VERSION: Final = ")[^"]+', version, home.read_text()))
    copy(Path(__file__).with_name("tools.py"), root / "layers/tools/python/deployed_tools.py")
    environment = {**emulator.environment, "PYTHONPATH": python_path(root)}
    settings = {**context, "tools_module": "deployed_tools", "catalogue": str(root / "catalogue.json")}
    write_catalogue(environment, settings, root=root)
    assembly = root / "cdk.out"
    synthesise(root / "layers/examples/app.py", environment, settings, assembly, root=root)
    template = _template(assembly)
    for function in _functions(template):
        _variables(function)["PYTHONPATH"] = python_path(root)
    _file(assembly).write_text(json.dumps(template))
    return Release(version=re.findall('VERSION: Final = "([^"]+)', home.read_text())[0], assembly=assembly)


def _file(assembly: Path) -> Path:
    return assembly / f"{STACK}.template.json"


def _template(assembly: Path) -> Any:
    return json.loads(_file(assembly).read_text())


def _functions(template: Any) -> list[Any]:
    return [each["Properties"] for each in template["Resources"].values() if each["Type"] == "AWS::Lambda::Function"]


def _variables(function: Any) -> dict[str, Any]:
    variables: dict[str, Any] = function.setdefault("Environment", {}).setdefault("Variables", {})
    return variables
