"""The demo script of `make demo` against a stage on AWS: that of the examples, whose data bucket it uses.

It is deployed by `make deploy APP=layers/examples/app.py CDK_OPTIONS="-c page_size=2"`; `TOKEN` is that of a subject of
the tenant acme who has no tasks yet, and `APPROVER_TOKEN`, if there is one, that of another with the role finance.
"""

import os
import subprocess

import pytest

from local.demo import CLIENT
from local.emulator import ROOT
from tests.live.deployed import Stage, needs


@pytest.mark.live
def test_an_official_client_finds_every_answer_right(any_stage: Stage) -> None:
    needs(
        {"DataBucket", "ItemsTable"} & any_stage.outputs.keys() == {"DataBucket"},
        f"{any_stage.stack} has no example tools: deploy layers/examples/app.py",
    )
    tokens = [os.environ[name] for name in ("TOKEN", "OTHER_TOKEN")]
    given = [any_stage.url, *tokens, any_stage.outputs["DataBucket"]]
    given += [token for token in [os.environ.get("APPROVER_TOKEN")] if token]
    done = subprocess.run([CLIENT, "-m", "local.demo_script", *given], cwd=ROOT, check=False)

    assert done.returncode == 0
