"""`make demo`: deploys the stack to the emulator, and has an official client call its long-running tools."""

import sys
import time
from collections import Counter

from local.emulator import EXAMPLES, ROOT, aws_environment
from local.processes import interruptible, run
from local.records import records
from local.stack import CANNOT_START, INTERRUPTED, Stack, running_stack

CLIENT = ROOT / ".local" / "client" / "bin" / "python"
STATUS_OF_INTERRUPTED = 130
"""As shells have it."""
PAGE_SIZE = 2
"""So small that six tasks make three pages."""


def run_demo(stack: Stack) -> int:
    """Run the demo script in the client's own environment against a stack; returns its exit status."""
    # Both may approve, and ada not what she asked for.
    ada, grace = (stack.token("acme", subject, roles=["finance"]) for subject in ("ada", "grace"))
    environment = aws_environment(stack.emulator.url, stack.emulator.folder)
    given = [stack.url, ada, stack.token("globex", "eve"), stack.outputs["DataBucket"], grace]
    command = [str(CLIENT), "-m", "local.demo_script", *given]
    return run(command, cwd=ROOT, environment=environment, capture=False).returncode


def count_wakers(stack: Stack) -> Counter[str]:
    """Return what ended the waits so far, and how often: the table's stream, polling, or the deadline."""
    return Counter(each["woken_by"] for each in records(stack.client("logs")) if "woken_by" in each)


def main() -> int:
    """Deploy the stack, run the demo, and stop the stack; returns 0 if every answer was right and the stream worked."""
    interruptible()
    try:
        return _main()
    except KeyboardInterrupt:
        print(INTERRUPTED)
        return STATUS_OF_INTERRUPTED
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
        print(
            "All of it is stopped now: make stack APP=layers/examples/app.py TOOLS=examples keeps it, with a console."
        )
        # Polling alone would give the same answers, only later.
        return status or int(not wakers["stream"])
