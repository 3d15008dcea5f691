"""`make demo`: the whole server on this machine's emulator, and an official client that calls its long tools."""

import subprocess
import sys
import time

from local.emulator import ROOT, aws_environment
from local.stack import Stack, running_stack

CLIENT = ROOT / ".local" / "client" / "bin" / "python"
PAGE_SIZE = 2
"""So small that five tasks make three pages."""


def tour(stack: Stack) -> int:
    """Let the client go through its tour of a running stack; returns 0 if every answer was right."""
    tokens = stack.token("acme", "ada"), stack.token("globex", "eve")
    environment = aws_environment(stack.emulator.url, stack.emulator.folder)
    command = [str(CLIENT), "-m", "local.tour", stack.url, *tokens, stack.outputs["DataBucket"]]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def main() -> int:
    """Bring the stack up, go on the tour, take the stack down."""
    began = time.monotonic()
    print("deploying the CDK stack to the emulator ...", flush=True)
    with running_stack(page_size=PAGE_SIZE) as stack:
        print(f"up after {time.monotonic() - began:.0f} s: {stack.url}", flush=True)
        return tour(stack)


if __name__ == "__main__":
    sys.exit(main())
