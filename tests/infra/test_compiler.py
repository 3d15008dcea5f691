"""Bytecode is that of Lambda's Python, whatever compiles it."""

import json
import marshal
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest

from infra.bytecode import compiler
from infra.bytecode.compiler import CompilerMissing, compile_here, compile_python
from tests.infra.assembly import ROOT

UNCHECKED_HASH = 0b01


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one module, deep inside."""
    (tmp_path / "python" / "deep").mkdir(parents=True)
    (tmp_path / "python" / "deep" / "one.py").write_text("ONE = 1\n")
    return tmp_path


def bytecode(folder: Path) -> bytes:
    """Return the bytecode of the only module."""
    (compiled,) = folder.glob("python/deep/__pycache__/one.*.pyc")
    return compiled.read_bytes()


def test_this_python_compiles_as_the_other_does(folder: Path) -> None:
    assert compile_here(folder, at="/opt")

    found = bytecode(folder)
    assert (found[:4], found[4]) == (MAGIC_NUMBER, UNCHECKED_HASH)
    assert marshal.loads(found[16:]).co_filename == "/opt/python/deep/one.py"


def test_python_3_13_compiles_by_itself(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "PYTHON_3_13", MAGIC_NUMBER)
    monkeypatch.setattr(compiler, "NODE_MODULES", ())

    compile_python(folder, at="/opt")

    assert bytecode(folder)[:4] == MAGIC_NUMBER


def test_another_python_has_it_compiled_by_what_an_app_installed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "PYTHON_3_13", b"3.13")
    monkeypatch.setattr(compiler, "NODE_MODULES", (tmp_path / "no", Path("node_modules")))
    monkeypatch.chdir(ROOT / ".local" / "node")

    compile_python(folder, at="/opt")

    (compiled,) = folder.glob("python/deep/__pycache__/one.cpython-313.pyc")
    assert compiled.read_bytes()[:2] == (3571).to_bytes(2, "little")


def test_without_a_compiler_the_error_says_how_to_get_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "PYTHON_3_13", b"3.13")
    monkeypatch.setattr(compiler, "NODE_MODULES", ())
    installed = json.loads((ROOT / "local/node/package.json").read_text())["dependencies"]["pyodide"]

    with pytest.raises(CompilerMissing, match=rf"with Python 3\.13, or .*`npm install pyodide@{installed}`"):
        compile_python(folder, at="/opt")


def test_a_source_that_is_no_python_is_not_deployed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "PYTHON_3_13", MAGIC_NUMBER)
    (folder / "broken.py").write_text("def")

    with pytest.raises(SystemExit, match="cannot compile"):
        compile_python(folder, at="/opt")


@pytest.mark.parametrize(
    ("version", "content"),
    [
        (MAGIC_NUMBER, b"print 'python 2'\n"),
        (MAGIC_NUMBER, b"x = \xff\n"),
        (MAGIC_NUMBER, b"x = 1\0\n"),
        (b"3.13", b"print 'python 2'\n"),
    ],
    ids=["python 2", "no utf-8", "null", "as web assembly"],
)
def test_a_source_of_a_package_that_cannot_be_compiled_is_left_with_a_note(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], version: bytes, content: bytes
) -> None:
    monkeypatch.setattr(compiler, "PYTHON_3_13", version)
    (folder / "python" / "aenum").mkdir()
    (folder / "python" / "aenum" / "_py2.py").write_bytes(content)

    compile_python(folder, at="/opt", own=lambda source: source.parent.name == "deep")

    printed = capfd.readouterr()
    said = "Deployed as source, since Python 3.13 cannot compile it: python/aenum/_py2.py.\n"
    assert (printed.out, printed.err) == ("", said)
    assert bytecode(folder)
    assert not list(folder.glob("python/aenum/__pycache__/*"))


def test_a_source_of_our_own_beside_it_that_cannot_be_compiled_is_not_deployed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiler, "PYTHON_3_13", MAGIC_NUMBER)
    for name in ("theirs", "ours"):
        (folder / f"{name}.py").write_text("def")

    with pytest.raises(SystemExit, match="for the reason above"):
        compile_python(folder, at="/opt", own=lambda source: source.name == "ours.py")
    assert "ours.py" in capfd.readouterr().out


def test_of_many_sources_the_note_names_a_few(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiler, "PYTHON_3_13", MAGIC_NUMBER)
    for number in range(7):
        (folder / f"old{number}.py").write_text("def")

    compile_python(folder, at="/opt", own=lambda source: False)

    assert capsys.readouterr().err.endswith("old0.py, old1.py, old2.py, old3.py, old4.py and 2 more.\n")
