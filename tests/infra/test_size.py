"""What Lambda would not unzip is refused at synth."""

from pathlib import Path

import pytest

from infra.bytecode.size import MEBIBYTE, refuse_oversized


def test_an_asset_may_be_as_large_as_its_limit(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_bytes(bytes(MEBIBYTE))

    refuse_oversized(tmp_path, tmp_path, MEBIBYTE)


def test_of_an_asset_that_is_larger_the_five_largest_packages_are_named(tmp_path: Path) -> None:
    sizes = {"a": 6, "b": 2, "c.libs": 2, "c": 3, "d": 4, "e": 3, "f": 1}
    for name, size in sizes.items():
        (tmp_path / "python" / name / "deep").mkdir(parents=True)
        (tmp_path / "python" / name / "deep" / "file").write_bytes(bytes(size * MEBIBYTE))

    with pytest.raises(SystemExit) as refused:
        refuse_oversized(Path("layers/tools"), tmp_path, 21 * MEBIBYTE - 1)
    assert str(refused.value) == (
        "layers/tools is 21 MB with its packages and their bytecode, and may be 21 MB, since Lambda unzips 250 MB in "
        "all. The largest are a 6 MB, c 5 MB, d 4 MB, e 3 MB, b 2 MB. docs/dependencies.md says which fit together."
    )
