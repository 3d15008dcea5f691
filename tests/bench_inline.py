"""What an inline call costs beyond an invocation: the real handler, whose tools are a function on the emulator.

Three turns, in wall time: the call with its tool in this process, the call with its tool in `run_inline`, and an
invocation of a function that returns what it is sent.  The second less both others is what inline calls added.
"""

import importlib
import io
import json
import os
import sys
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from local.emulator import ACCOUNT, ROOT, Emulator
from mcp_tasks import aws
from mcp_tasks.features import catalogue
from mcp_tasks.features.listing import Features
from mcp_tasks.run_inline.client import InlineClient
from tests.elsewhere import elsewhere

INLINE, ECHO = "bench-inline", "bench-echo"
WARM = 10


def echo(event: Mapping[str, Any], context: object) -> Mapping[str, Any]:
    """Return what is sent, and log as the other one does: for what logs nothing, the emulator waits 50 ms."""
    print("echoed", file=sys.stderr)
    return event


def deploy(emulator: Emulator) -> None:
    """Create both functions."""
    create(emulator, INLINE, "functions.run_inline.handler.handler")
    create(emulator, ECHO, "tests.bench_inline.echo")


def create(emulator: Emulator, name: str, handler: str) -> None:
    """Create a function with the runtime of the local stack, and its role."""
    trust = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    emulator.client("iam").create_role(
        RoleName=name, AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    )
    emulator.client("lambda").create_function(
        FunctionName=name,
        Runtime="provided.al2023",
        Handler=handler,
        Role=f"arn:aws:iam::{ACCOUNT}:role/{name}",
        Code={"ZipFile": _bootstrap()},
        Timeout=29,
        Environment={"Variables": {"TOOLS_MODULE": "examples", "LOG_LEVEL": "INFO"}},
    )


def measure(call: Mapping[str, Any], count: int) -> dict[str, list[float]]:
    """Return the milliseconds of each kind, and of what inline calls added, in turns."""
    module: Any = importlib.import_module("functions.serve_mcp.handler")
    server, text = module.SERVER, Path(os.environ["CATALOGUE"]).read_text()
    here = replace(server, features=catalogue.read(text, elsewhere(Features.of_module("examples"))))
    there = replace(
        server, features=catalogue.read(text, InlineClient(invoke=aws.invoking_once(INLINE, aws.TO_INLINE)))
    )
    invoke = aws.invoking_once(ECHO, aws.TO_INLINE)
    turns: dict[str, Callable[[], object]] = {
        "tool in this process": lambda: _served(module, here, call),
        "tool in run_inline": lambda: _served(module, there, call),
        "an invocation alone": lambda: invoke({"does": "nothing"}),
    }
    taken: dict[str, list[float]] = {name: [] for name in turns}
    for _ in range(WARM + count):
        for name, turn in turns.items():
            began = time.perf_counter()
            turn()
            taken[name].append((time.perf_counter() - began) * 1000)
    module.SERVER = server
    warm = {name: times[WARM:] for name, times in taken.items()}
    both = zip(warm["tool in this process"], warm["an invocation alone"], strict=True)
    added = [whole - sum(parts) for whole, parts in zip(warm["tool in run_inline"], both, strict=True)]
    return {**warm, "added": added}


def _served(module: Any, server: Any, call: Mapping[str, Any]) -> None:
    module.SERVER = server
    response = module.handler(call, None)
    assert "result" in json.loads(response["body"]), response


def _bootstrap() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(ROOT / "infra" / "local_runtime" / "bootstrap", "bootstrap")
    return packed.getvalue()
