"""`make pin`, against an index that is one page."""

from pathlib import Path

import pytest

from infra.bytecode.wheels import unhashed
from local.pin import resolved, wanted, write
from tests.infra.test_wheels import wheel


def test_names_become_versions_and_hashes(tmp_path: Path) -> None:
    digest = wheel(tmp_path, "cp313-cp313-manylinux_2_28_aarch64")
    (file,) = tmp_path.glob("*.whl")
    # As PyPI does; of a file without a digest in its link, pip 23.0 reports none.
    page = tmp_path / "index.html"
    page.write_text(f'<a href="{file.as_uri()}#sha256={digest}">{file.name}</a>')

    lines = resolved("tiny\n", options=["--no-index", f"--find-links={page}"])

    assert lines == {"tiny": f"tiny==1.0 --hash=sha256:{digest}"}


@pytest.mark.parametrize(
    "pinned", ["tiny==1.0 --hash=sha256:00\n", "tiny==1.0 \\\n    --hash=sha256:00 \\\n    --hash=sha256:01\n"]
)
def test_what_was_pinned_is_asked_for_again(tmp_path: Path, pinned: str) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(f"# why\n{pinned}")

    assert wanted(file) == "# why\ntiny==1.0\n"

    write(file, {"tiny": "tiny==1.1 --hash=sha256:02", "a": "a==1 --hash=sha256:03"})
    assert file.read_text() == "# why\na==1 --hash=sha256:03\ntiny==1.1 --hash=sha256:02\n"
    assert unhashed(file) == []
