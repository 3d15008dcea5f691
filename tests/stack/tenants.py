"""`make tenant` on the deployed stack."""

import json
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit

from local.emulator import ROOT
from local.stack import Stack


def make_tenant(stack: Stack, tenant: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    port = str(urlsplit(stack.url).port)
    options = ["--stack", "McpTaskExamples-local", "--port", port]
    command = [sys.executable, "-m", "local.tenant", "--tenant", tenant, *options, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def shown(stack: Stack, tenant: str, *arguments: str) -> Any:
    done = make_tenant(stack, tenant, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
