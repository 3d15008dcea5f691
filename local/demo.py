"""`make demo`: deploys the stack to the emulator, and has an official client call its long-running tools."""

import subprocess
import sys
import time
from collections import Counter

from local.emulator import EXAMPLES, ROOT, aws_environment
from local.records import records
from local.stack import CANNOT_START, Stack, running_stack

CLIENT = ROOT / ".local" / "client" / "bin" / "python"
INTERRUPTED = 130
"""The exit status of a command that is ended by Ctrl-C, in shells."""
PAGE_SIZE = 2
"""So small that five tasks make three pages."""


def run_demo(stack: Stack) -> int:
    """Run the demo script in the client's own environment against a stack; returns its exit status."""
    tokens = stack.token("acme", "ada"), stack.token("globex", "eve")
    environment = aws_environment(stack.emulator.url, stack.emulator.folder)
    command = [str(CLIENT), "-m", "local.demo_script", stack.url, *tokens, stack.outputs["DataBucket"]]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def count_wakers(stack: Stack) -> Counter[str]:
    """Return what ended the waits so far, and how often: the table's stream, polling, or the deadline."""
    return Counter(each["woken_by"] for each in records(stack.client("logs")) if "woken_by" in each)


def main() -> int:
    """Deploy the stack, run the demo, and stop the stack; returns 0 if every answer was right and the stream worked."""
    try:
        return _main()
    except KeyboardInterrupt:
        print("\nInterrupted: the stack is stopped and removed.")
        return INTERRUPTED
    except CANNOT_START as error:
        print(error, file=sys.stderr)
        return 1


def _main() -> int:
    began = time.monotonic()
    print("deploying the CDK stack to the emulator ...", flush=True)
    with running_stack(app=EXAMPLES, tools="examples", page_size=PAGE_SIZE) as stack:
        print(f"up after {time.monotonic() - began:.0f} s: {stack.url}", flush=True)
        status, wakers = run_demo(stack), count_wakers(stack)
        print(f"Waits were ended by: {', '.join(f'{waker} {count}' for waker, count in wakers.most_common())}.")
        # Polling alone would give the same answers, only later.
        return status or int(not wakers["stream"])


if __name__ == "__main__":
    sys.exit(main())
