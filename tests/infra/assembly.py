"""What an app synthesises, run as anybody runs it: no credentials, no docker, and here no bundling either."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

from tests.once import made_once

ROOT = Path(__file__).parents[2]
APP, EXAMPLES = ROOT / "app.py", ROOT / "layers" / "examples" / "app.py"
LAYERS = [ROOT / "layers" / name / "python" for name in ("core", "tools", "examples")]
"""Before what `.venv` names, which a copy of the checkout shares with it."""

NODE_MODULES = ROOT / ".local" / "node" / "node_modules"
UNBUNDLED: Mapping[str, Any] = {"aws:cdk:bundling-stacks": []}
TOKENS: Mapping[str, str] = {
    "issuer": "https://login.acme.dev/",
    "audience": "https://tasks.acme.dev/mcp",
    "jwks_url": "https://login.acme.dev/keys",
}
OWN_STAGE: Mapping[str, Any] = {**UNBUNDLED, "stages": {"dev": TOKENS}}
"""For the app in the root, whose `cdk.json` and stages are the adopter's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """One stage, synthesised; names in it are logical ids without CDK's hash at their end."""

    folder: Path
    name: str

    @classmethod
    def in_folder(cls, folder: Path) -> Self:
        """Return the one stage that was synthesised into a folder."""
        (template,) = folder.glob("*.template.json")
        return cls(folder=folder, name=template.name.removesuffix(".template.json"))

    @property
    def resources(self) -> dict[str, Any]:
        """Every resource of the template."""
        template: dict[str, Any] = _named(self.read(f"{self.name}.template.json"))
        resources: dict[str, Any] = template["Resources"]
        return resources

    @property
    def outputs(self) -> dict[str, str]:
        """The stack's outputs."""
        return {
            name: flat(output["Value"]) for name, output in self.read(f"{self.name}.template.json")["Outputs"].items()
        }

    def read(self, name: str) -> dict[str, Any]:
        """Read a file of the assembly."""
        content: dict[str, Any] = json.loads((self.folder / name).read_text())
        return content

    def of(self, kind: str) -> dict[str, dict[str, Any]]:
        """Properties of every resource of a type, by name."""
        return {
            name: resource.get("Properties", {})
            for name, resource in self.resources.items()
            if resource["Type"] == kind
        }


def synthesise(
    folder: Path,
    context: Mapping[str, Any],
    *,
    validation: bool = False,
    modules: Path | None = None,
    of: Path = EXAMPLES,
) -> Assembly:
    """Return what an app, that of the examples by default, makes of that context.

    `modules` is a folder of modules that the context names.
    """
    done = app(folder, context, validation=validation, modules=modules, of=of)

    assert done.returncode == 0, done.stdout + done.stderr
    return Assembly.in_folder(folder)


def synthesise_once(factory: pytest.TempPathFactory, name: str, context: Mapping[str, Any], **options: Any) -> Assembly:
    """Return the same, made by one of the processes of a run and kept under a name until the run ends."""
    return Assembly.in_folder(made_once(factory, name, lambda folder: synthesise(folder, context, **options)))


def app(
    folder: Path,
    context: Mapping[str, Any],
    *,
    validation: bool = False,
    modules: Path | None = None,
    of: Path = EXAMPLES,
) -> subprocess.CompletedProcess[str]:
    """Run an app with that context; the CDK's own look at the template takes its time."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "CDK_OUTDIR": str(folder),
        "CDK_CONTEXT_JSON": json.dumps(context),
        "CDK_VALIDATION": json.dumps(validation),
        "PYTHONPATH": os.pathsep.join(map(str, [ROOT, *LAYERS, *([modules] if modules else [])])),
    }
    return subprocess.run(
        [sys.executable, str(of)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def flat(value: Any) -> str:
    """Write an intrinsic function so that it can be read and compared."""
    match value:
        case {"Ref": str(name)}:
            return f"<{name}>"
        case {"Fn::GetAtt": [str(name), str(attribute)]}:
            return f"<{name}.{attribute}>"
        case {"Fn::Join": [str(separator), list(parts)]}:
            return separator.join(flat(part) for part in parts)
        case _:
            return str(value)


def _named(value: Any) -> Any:
    match value:
        case dict():
            return {_unhashed(key): _named(each) for key, each in value.items()}
        case list():
            return [_named(each) for each in value]
        case str():
            return _unhashed(value)
        case _:
            return value


def _unhashed(text: str) -> str:
    return re.sub(r"^(\w*?)[0-9A-F]{8}$", r"\1", text)
