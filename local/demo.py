"""`make demo`: the whole server on this machine's emulator, and an official client that calls its long tools."""

import subprocess
import sys
import time
from collections import Counter

from local.emulator import ROOT, aws_environment
from local.records import records
from local.stack import Stack, running_stack

CLIENT = ROOT / ".local" / "client" / "bin" / "python"
PAGE_SIZE = 2
"""So small that five tasks make three pages."""


def run_demo(stack: Stack) -> int:
    """Let the client go through its demo of a running stack; returns 0 if every answer was right."""
    tokens = stack.token("acme", "ada"), stack.token("globex", "eve")
    environment = aws_environment(stack.emulator.url, stack.emulator.folder)
    command = [str(CLIENT), "-m", "local.demo_script", stack.url, *tokens, stack.outputs["DataBucket"]]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def woken(stack: Stack) -> Counter[str]:
    """Return who ended the waits so far, and how often: the table's stream, a look by the clock, or the deadline."""
    return Counter(each["woken_by"] for each in records(stack.client("logs")) if "woken_by" in each)


def main() -> int:
    """Bring the stack up, go on the demo, take the stack down."""
    began = time.monotonic()
    print("deploying the CDK stack to the emulator ...", flush=True)
    with running_stack(page_size=PAGE_SIZE) as stack:
        print(f"up after {time.monotonic() - began:.0f} s: {stack.url}", flush=True)
        ended, wakers = run_demo(stack), woken(stack)
        print(f"Waits were ended by: {', '.join(f'{who} {count}' for who, count in wakers.most_common())}.")
        # Without the stream all would go well too, but later.
        return ended or int(not wakers["stream"])


if __name__ == "__main__":
    sys.exit(main())
