"""Bundles a folder of Python into a Lambda asset, with its requirements installed and compiled to bytecode."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import jsii
from aws_cdk import BundlingOptions, DockerImage, ILocalBundling
from aws_cdk.aws_lambda import AssetCode, Code

from mcp_tasks.limits.aws import MAX_UNZIPPED_BYTES

from .compiler import COMPILER, compile_python
from .size import refuse_oversized
from .wheels import FOR_LAMBDA, install

ROOT = Path(__file__).parents[2]
LEFT_OUT = ["__pycache__", ".*", "*.pyc", "*.md", "requirements.in"]
TESTING = "mcp_tasks/testing"
"""The test kit, which no function imports, is left out of the layer."""


@jsii.implements(ILocalBundling)
class CompiledPython:
    """Bundles on this machine, in place of the docker image that CDK would run."""

    def __init__(
        self, source: Path, folder: str, unpacked: str, files: Mapping[str, str], without: Path | None, limit: int
    ) -> None:
        """Bundle `source` and `files` into a `folder` of the asset, which Lambda will unpack to `unpacked`."""
        self._source = source
        self._folder = folder
        self._unpacked = unpacked
        self._files = files
        self._without = without
        self._limit = limit

    def try_bundle(self, output_dir: str, *_: object, **__: object) -> bool:
        """Write the asset into `output_dir`; called by CDK, which runs no docker image where it returns True."""
        output = Path(output_dir)
        inside = output / self._folder
        shutil.copytree(self._source, inside, dirs_exist_ok=True, ignore=_left_out)
        if (requirements := self._source / "requirements.txt").exists():
            install(requirements, inside / "python", without=self._without)
            (inside / requirements.name).unlink()
        for name, text in self._files.items():
            (inside / name).write_text(text)
        # Before compiling, which may take minutes, and after it, since bytecode counts too.
        refuse_oversized(self._source, inside, self._limit)
        compile_python(output, at=self._unpacked)
        refuse_oversized(self._source, inside, self._limit)
        return True


def compiled(
    source: Path,
    *,
    folder: str = ".",
    unpacked: str,
    files: Mapping[str, str] = MappingProxyType({}),
    without: Path | None = None,
    limit: int = MAX_UNZIPPED_BYTES,
) -> AssetCode:
    """Return the asset made of `source` and `files` (content by name), as it will be at the path `unpacked`.

    The packages of the lock `without` are left out, because another layer has them; `limit` is in bytes.
    """
    return Code.from_asset(
        str(source),
        exclude=[*LEFT_OUT, f"**/{TESTING}"],
        bundling=BundlingOptions(
            # CDK wants both even though local bundling never falls back to them.  The command is part
            # of the asset's hash: another compiler, other files or another lock beside it make another asset.
            image=DockerImage.from_registry("none"),
            command=[COMPILER, *FOR_LAMBDA, folder, *files.values(), without.read_text() if without else ""],
            local=CompiledPython(source, folder, unpacked, files, without, limit),
        ),
    )


def _left_out(folder: str, names: list[str]) -> set[str]:
    testing = {name for name in names if (Path(folder) / name).as_posix().endswith(f"/{TESTING}")}
    return testing | shutil.ignore_patterns(*LEFT_OUT)(folder, names)
