"""Which functions bring code that adopters wrote into their process, found by importing each of them."""

import os
import subprocess
import sys
from pathlib import Path

from mcp_tasks.features import catalogue
from tests.isolation.adopters import ADOPTERS

FUNCTIONS = Path(__file__).parents[2] / "functions"
ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/tasks"
VARIABLES = {
    "TOOLS_MODULE": "examples",
    **{"TABLE_NAME": "tasks", "PAYLOAD_BUCKET": "payloads", "HOST_FUNCTION": "host", "TOOLS_FUNCTION": "tools"},
    **{"ISSUER": "https://a.example", "AUDIENCE": "https://b.example", "JWKS_URL": "https://a.example/keys"},
    **{"AWS_DEFAULT_REGION": "eu-west-1", "STREAM_ARN": f"{ARN}/stream/1"},
}
IMPORTED = """
import importlib, sys

for name in sys.argv[1:]:
    importlib.import_module(f"functions.{name}.handler")
    theirs = [each for each in sys.modules if each.split(".")[0] == "examples"]
    for each in theirs:
        del sys.modules[each]
    if theirs:
        print(name)
"""


def test_adopters_code_is_imported_by_these_functions_and_no_others(tmp_path: Path) -> None:
    listed = tmp_path / "catalogue.json"
    listed.write_text(catalogue.write("tests.unit.one_of_each"))
    names = sorted(path.parent.name for path in FUNCTIONS.glob("*/handler.py"))
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path), **VARIABLES}
    environment["CATALOGUE"] = str(listed)
    command = [sys.executable, "-c", IMPORTED, *names]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)

    assert set(done.stdout.split()) == ADOPTERS
