"""A folder of small wheels that is all uv knows of the world."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
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
        self, name: str = "tiny", *, tag: str = "py3-none-any", version: str = "1.0", requires: Iterable[str] = ()
    ) -> str:
        """Add a wheel, and return its hash."""
        shelf = self.folder / name
        shelf.mkdir(exist_ok=True)
        file = shelf / f"{name}-{version}-{tag}.whl"
        about = f"{name}-{version}.dist-info"
        needs = "".join(f"Requires-Dist: {other}\n" for other in requires)
        with ZipFile(file, "w") as archive:
            archive.writestr(f"{name}.py", "")
            archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
            archive.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n")
            archive.writestr(f"{about}/RECORD", "")
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        with (shelf / "index.html").open("a") as page:
            page.write(f'<a href="{file.name}#sha256={digest}">{file.name}</a>')
        return digest


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """An empty shelf, in a folder of its own."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    return Shelf(folder, monkeypatch)
