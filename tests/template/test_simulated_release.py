"""What the simulator runs as releases before is the code of their commits, which only the template has."""

from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.simulation.releases import CODE, COMMITS, PACKAGE, names_of, release_before, rename
from tests.template.releases import git


@pytest.mark.parametrize("commit", COMMITS)
def test_the_simulator_runs_the_code_of_the_commit(commit: str) -> None:
    folder = Path(str(release_before(commit).functions.__file__)).parents[1] / names_of(commit)[PACKAGE]
    names = git(ROOT, "ls-tree", "-r", "--name-only", f"{commit}:{CODE}").decode().splitlines()

    sources = [name for name in names if name.endswith(".py")]
    assert len(sources) > 200
    for name in sources[::20]:
        committed = git(ROOT, "show", f"{commit}:{CODE}/{name}").decode()
        assert (folder / name).read_text() == rename(committed, commit)
