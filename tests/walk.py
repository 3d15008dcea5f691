"""`python -m tests.walk`: the files of ours that a `tools/call` goes through to become a task, in each revision.

The call is the real one: settings, wiring and request as `serve_mcp` has them, and DynamoDB and Step Functions by moto.
It is traced from the moment at which the revision's `tools_call` is called until that returns.

    a file          one of `mcp_tasks` with a function that is called meanwhile
    to the ports    without those of `mcp_tasks/adapters`, and what these read and write documents with: how a table is
                    spoken to is the same for every request
    a change        a call into another file of these than the call before it; returning counts for nothing
    a step          `_decide`, `perform` or `_render`, and all that each calls until it returns

A call looks at its task once before it returns a handle: how often it looks is for its waiter to say, by chance.

What is printed beside, with the adapters and from the HTTP request on, is counted in the same way.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import mcp_tasks.aws
from mcp_tasks import bootstrap, records
from mcp_tasks.features import catalogue
from mcp_tasks.limits.waits import HANDLE_AFTER
from mcp_tasks.settings import Settings
from mcp_tasks.wire import apigateway, server
from tests.cloud import BUCKET, TABLE, Cloud, cloud
from tests.kit import FixedClock
from tests.revisions import REVISIONS, module_of

STEPS: Final = ("_decide", "perform", "_render")
WHOLE: Final = "tools_call"

HOME: Final = f"{Path(mcp_tasks.__file__).parent}/"
ADAPTERS: Final = ("adapters/", "tasks/documents.py", "tasks/json_values.py")

PROFILE = {"name": "profile_csv", "arguments": {"csv": "a,b\n1,2\n"}}


class Entered(NamedTuple):
    """A function that was called: its file, and the step that it belongs to, once there is one."""

    file: str
    function: str
    in_call: bool
    step: str | None


class Walk(NamedTuple):
    """All functions of ours that were called for one request, in their order."""

    entered: Sequence[Entered]

    @property
    def of_call(self) -> "Walk":
        """What the revision's `tools_call` called, and itself."""
        return Walk([each for each in self.entered if each.in_call])

    @property
    def to_ports(self) -> "Walk":
        """All but the adapters."""
        return Walk([each for each in self.entered if not each.file.startswith(ADAPTERS)])

    @property
    def files(self) -> list[str]:
        """The files, each as it is come upon first."""
        return list(dict.fromkeys(each.file for each in self.entered))

    @property
    def changes(self) -> int:
        """How often a call leads into another file."""
        return max(0, len(list(groupby(each.file for each in self.entered))) - 1)

    @property
    def steps(self) -> list[str]:
        """The steps, in their order."""
        return [step for step, _ in groupby(each.step for each in self.entered) if step]


def main() -> None:
    """Trace a call in each revision and print its path."""
    for revision, walk in walks().items():
        _print(revision, walk)


def walks() -> dict[str, Walk]:
    """Return the path of a call that becomes a task, by revision."""
    with _served() as answer:
        messages = {revision: module_of(revision, "messages").Messages(answer) for revision in REVISIONS}
        return {revision: _walk(answer, partial(sent.task, PROFILE)) for revision, sent in messages.items()}


def _walk(answer: Callable[[Any], Any], request: Callable[[], Any]) -> Walk:
    # The first request imports what it needs, which is no part of the path.
    answer(request())
    with traced() as entered:
        replied = answer(request())
    assert "working" in replied["body"], replied
    return Walk(entered)


@contextmanager
def traced() -> Iterator[list[Entered]]:
    """Record which functions of ours are called."""
    entered: list[Entered] = []
    open_steps: list[FrameType] = []

    def record(frame: FrameType, what: str, _: object) -> None:
        code = frame.f_code
        if what == "return" and open_steps and frame is open_steps[-1]:
            open_steps.pop()
        # What all records share stands for methods that are generated for other dataclasses, which are in no file.
        if what != "call" or not code.co_filename.startswith(HOME) or code.co_filename == records.__file__:
            return
        if code.co_name == WHOLE if not open_steps else (len(open_steps) == 1 and code.co_name in STEPS):
            open_steps.append(frame)
        step = open_steps[1].f_code.co_name if len(open_steps) > 1 else None
        entered.append(Entered(code.co_filename.removeprefix(HOME), code.co_name, bool(open_steps), step))

    sys.setprofile(record)
    try:
        yield entered
    finally:
        sys.setprofile(None)


class LateClock(FixedClock):
    """Sleeps for longer than a call waits, so that no look is followed by another."""

    def sleep(self, duration: timedelta) -> None:
        self.advance(max(duration, HANDLE_AFTER))


@contextmanager
def _served() -> Iterator[Callable[[Any], Any]]:
    """Give what answers an event of API Gateway as `serve_mcp` does."""
    with cloud() as aws, tempfile.TemporaryDirectory() as folder:
        settings = Settings.of(_environment(aws, Path(folder)))
        with patch.object(mcp_tasks.aws, "clock", LateClock()):
            of = bootstrap.server(settings)

        def answer(event: Any) -> Any:
            return apigateway.response(server.handle(of, apigateway.request(event), apigateway.caller(event)))

        yield answer


def _environment(aws: Cloud, folder: Path) -> dict[str, str]:
    listed = folder / "catalogue.json"
    listed.write_text(catalogue.write("examples"))
    definition = json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}})
    role = "arn:aws:iam::123456789012:role/machine"
    machine = aws.states.create_state_machine(name="run_tool", definition=definition, roleArn=role)
    return {
        "TABLE_NAME": TABLE,
        "PAYLOAD_BUCKET": BUCKET,
        "CATALOGUE": str(listed),
        "MACHINES": json.dumps({"run_tool": machine["stateMachineArn"], "remind_me": machine["stateMachineArn"]}),
    }


def _print(revision: str, walk: Walk) -> None:
    print(f"\n{revision}")
    for (step, file), calls in groupby(walk.of_call.to_ports.entered, key=lambda each: (each.step, each.file)):
        print(f"  {step or '':<8}  {file:<40} {' '.join(dict.fromkeys(each.function for each in calls))}")
    print(f"  steps: {', '.join(walk.of_call.steps)}")
    counts = {
        "tools_call, to the ports": walk.of_call.to_ports,
        "tools_call, with the adapters": walk.of_call,
        "the HTTP request, to the ports": walk.to_ports,
        "the HTTP request, with the adapters": walk,
    }
    for name, counted in counts.items():
        print(f"  {name:<36} {len(counted.files):3} files {counted.changes:4} changes of file")


if __name__ == "__main__":
    import tests.conftest  # noqa: F401  # sets the environment of tests, without which boto3 knows no region

    main()
