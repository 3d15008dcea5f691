"""The recipes as an adopter takes them: in a project that has their files, on `make stack`."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest

from local.emulator import REGION
from tests.checkout import copied, link_environments
from tests.protocol.rev_2026_07_28.over_http import Client, client
from tests.recipes.pages import TOOLS, files, names
from tests.states import sequence
from tests.timeout import until

LISTED = (
    "".join(f"from tools.{name} import {name}\n" for name in names(TOOLS)) + f"TOOLS = [{', '.join(names(TOOLS))}]\n"
)
DAY = "2026-11-22"


@contextmanager
def stack_of(folder: Path) -> Iterator[Mapping[str, str]]:
    """Run the stack of a project; gives what it prints."""
    command = [sys.executable, "-m", "local", "stack", "--port", "0"]
    layers = ["layers/core/python", "layers/tools/python", "."]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(layers)}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield dict(process.stdout.readline().strip().split("=", 1) for _ in range(3))
        finally:
            process.send_signal(signal.SIGINT)


def ended(somebody: Client, task_id: str) -> Any:
    """Return the result of a task, or the message of its error."""
    task = until(lambda: (task := somebody.tasks_get(task_id))["status"] != "working" and task, within=60)
    return task["result"]["structuredContent"] if task["status"] == "completed" else task.get("statusMessage")


@pytest.mark.slow
def test_recipes_run_on_the_stack(tmp_path: Path) -> None:
    copied(tmp_path)
    for block in files():
        (tmp_path / block.file).write_text(block.code)
    (tmp_path / TOOLS / "__init__.py").write_text(LISTED)
    link_environments(tmp_path)
    with stack_of(tmp_path) as printed:
        somebody = client(printed["url"], printed["token"])
        endpoint = f"http://{urlsplit(printed['url']).netloc}"
        key = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
        s3, machines, iam = (
            boto3.client(name, region_name=REGION, endpoint_url=endpoint, **key)
            for name in ("s3", "stepfunctions", "iam")
        )
        s3.create_bucket(Bucket="acme-files")
        for name in ("acme/logs/a", "acme/logs/b", "acme/other", "globex/logs/c"):
            s3.put_object(Bucket="acme-files", Key=name, Body=b"line\n" * 3)
        tasks = [
            somebody.start("nightly_export", day=DAY),
            somebody.start("count_lines", prefix="logs/"),
            somebody.start("count_lines", prefix="nothing/"),
            somebody.start("load_warehouse", day=DAY),
        ]
        keys = [f"acme/{DAY}/{shard:02}.json" for shard in range(1, 21)]
        assert [ended(somebody, task) for task in tasks] == [
            {"day": DAY, "keys": keys},
            {"files": 2, "lines": 6},
            {"files": 0, "lines": 0},
            "The work failed: StateMachineDoesNotExist.",
        ]

        role = iam.create_role(RoleName="theirs", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
        theirs = {"QueryLanguage": "JSONata", **sequence({"Type": "Pass", "Output": {"rows": 7}})}
        machines.create_state_machine(name="nightly-load", definition=json.dumps(theirs), roleArn=role)
        assert ended(somebody, somebody.start("load_warehouse", day=DAY)) == {"rows": 7}
