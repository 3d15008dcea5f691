"""The app of `docs/embedding.md` is synthesised as it stands there, in a folder of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.docs.blocks import blocks
from tests.infra.assembly import ROOT, UNBUNDLED, Assembly

TOOL = '''
from mcp_tasks import tool

@tool()
def count(word: str) -> int:
    """Count letters."""
    return len(word)

TOOLS = [count]
'''


def test_the_app_of_the_page_has_a_server_in_twelve_lines(tmp_path: Path) -> None:
    (app,) = blocks("docs/embedding.md", "python")
    (tmp_path / "app.py").write_text(app)
    tools = tmp_path / "agents/python/tools/__init__.py"
    tools.parent.mkdir(parents=True)
    tools.write_text(TOOL)
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "layers/core/python")])}
    cdk = {"CDK_OUTDIR": str(tmp_path / "out"), "CDK_CONTEXT_JSON": json.dumps(UNBUNDLED)}
    subprocess.run([sys.executable, "app.py"], cwd=tmp_path, env=os.environ | paths | cdk, check=True)
    made = Assembly(folder=tmp_path / "out", name="Shop")

    assert len([line for line in app.splitlines() if line and "import" not in line]) <= 12
    assert len(made.of("AWS::StepFunctions::StateMachine")) == 1
    assert "Orders" in str(made.of("AWS::IAM::Policy")["AgentsFunctionsruntoolRoleDefaultPolicy"])
