"""Bundles a folder of Python into a Lambda asset, with its requirements installed and compiled to bytecode."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import jsii
from aws_cdk import BundlingOptions, DockerImage, ILocalBundling
from aws_cdk.aws_lambda import AssetCode, Code

from mcp_tasks.limits.aws import MAX_UNZIPPED_BYTES

from .compiler import COMPILER, compile_python
from .size import refuse_oversized
from .wheels import FOR_LAMBDA, install

LEFT_OUT = ("__pycache__", ".*", "*.pyc", "requirements.in")


@dataclass(frozen=True, kw_only=True)
class PythonAsset:
    """An asset made of `source` and `files` (content by path), in a `folder` that Lambda unpacks to `unpacked`.

    What `lock` lists is installed in `python/`, less what the lock `without` lists, because another layer has that.
    Only the folders of `source` that `only` names are taken, if it names any, and no files and folders named as in
    `left_out`; `limit` is in bytes.
    """

    source: Path
    only: Sequence[str] = ()
    folder: str = "."
    unpacked: str
    files: Mapping[str, str] = field(default_factory=dict)
    lock: Path | None = None
    without: Path | None = None
    left_out: Sequence[str] = ()
    limit: int = MAX_UNZIPPED_BYTES

    @property
    def code(self) -> AssetCode:
        """The asset for the CDK, which has it bundled when it synthesises the stack."""
        # The last pattern that a path matches decides.
        others = ["*", *(f"!{path}" for part in self.only for path in (part, f"{part}/**"))] if self.only else []
        locks = [lock.read_text() for lock in (self.lock, self.without) if lock]
        return Code.from_asset(
            str(self.source),
            exclude=[*others, *LEFT_OUT, *self.left_out],
            bundling=BundlingOptions(
                # CDK wants both even though local bundling never falls back to them.  The command is part
                # of the asset's hash: another compiler, other files or another lock make another asset.
                image=DockerImage.from_registry("none"),
                command=[COMPILER, *FOR_LAMBDA, self.folder, *self.files, *self.files.values(), *locks],
                local=_OnThisMachine(self.bundle),
            ),
        )

    def bundle(self, output: Path) -> None:
        """Write the asset into a folder; raises `SystemExit` for what Lambda would not load."""
        inside = output / self.folder
        inside.mkdir(parents=True, exist_ok=True)
        left_out = shutil.ignore_patterns(*LEFT_OUT, *self.left_out)
        for part in self.only or ["."]:
            if (self.source / part).exists():
                shutil.copytree(self.source / part, inside / part, dirs_exist_ok=True, ignore=left_out)
        if self.lock:
            install(self.lock, output / "python", without=self.without)
        for name, text in self.files.items():
            (inside / name).parent.mkdir(parents=True, exist_ok=True)
            (inside / name).write_text(text)
        # Before compiling, which may take minutes, and after it, since bytecode counts too.
        refuse_oversized(self.source, output, self.limit)
        compile_python(output, at=self.unpacked, own=lambda file: (self.source / file.relative_to(inside)).exists())
        refuse_oversized(self.source, output, self.limit)


@jsii.implements(ILocalBundling)
class _OnThisMachine:
    """Bundles in place of the docker image that CDK would run."""

    def __init__(self, bundle: Callable[[Path], None]) -> None:
        self._bundle = bundle

    def try_bundle(self, output_dir: str, *_: object, **__: object) -> bool:
        """Called by CDK, which runs no docker image where it returns True."""
        self._bundle(Path(output_dir))
        return True
