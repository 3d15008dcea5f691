"""The demo script of `make demo` against a stage on AWS: needs its URL, two tokens, its data bucket, credentials.

    export MCP_URL=... MCP_TOKEN=... MCP_OTHER_TOKEN=... MCP_DATA_BUCKET=...
    python -m pytest -m live tests/live/test_deployed.py

The first token is that of a subject of the tenant acme who has no tasks yet; the stage is deployed with `page_size=2`.
"""

import os
import subprocess

import pytest

from local.demo import CLIENT
from local.emulator import ROOT


@pytest.mark.live
def test_an_official_client_finds_every_answer_right_on_aws() -> None:
    given = [os.environ[f"MCP_{name}"] for name in ("URL", "TOKEN", "OTHER_TOKEN", "DATA_BUCKET")]
    done = subprocess.run([CLIENT, "-m", "local.demo_script", *given], cwd=ROOT, check=False)

    assert done.returncode == 0
