"""A folder of small wheels that is all uv knows of the world."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from zipfile import ZipFile

import pytest


class Shelf:
    """Wheels to resolve and install, in place of PyPI; each holds one module, named as it is."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make `folder` the only index of packages; its pages have hashes, as PyPI's have."""
        self.folder = folder
        for name, value in {"DEFAULT_INDEX": folder.as_uri(), "NO_CACHE": "1", "NO_CONFIG": "1"}.items():
            monkeypatch.setenv(f"UV_{name}", value)

    def add(
        self,
        name: str = "tiny",
        *,
        tag: str = "py3-none-any",
        version: str = "1.0",
        requires: Iterable[str] = (),
        files: Mapping[str, str] = MappingProxyType({}),
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        """Add a wheel, and return its hash; `files` and `more` are in it too, and `more` not in the list of what is."""
        shelf = self.folder / name
        shelf.mkdir(exist_ok=True)
        file = shelf / f"{name}-{version}-{tag}.whl"
        about = f"{name}-{version}.dist-info"
        needs = "".join(f"Requires-Dist: {other}\n" for other in requires)
        files = {
            **files,
            f"{name}.py": "",
            f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
            f"{about}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n",
        }
        rows = [f"{path},sha256={_digest(text)},{len(text)}\n" for path, text in files.items()]
        with ZipFile(file, "w") as archive:
            for path, text in {**files, **more, f"{about}/RECORD": "".join([*rows, f"{about}/RECORD,,\n"])}.items():
                archive.writestr(path, text)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        with (shelf / "index.html").open("a") as page:
            page.write(f'<a href="{file.name}#sha256={digest}">{file.name}</a>')
        return digest


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """An empty shelf, in a folder of its own."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    return Shelf(folder, monkeypatch)
