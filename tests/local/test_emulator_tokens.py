"""What the emulator is put right about: states that wait for their token, and processes that die as they begin."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.emulator import ACCOUNT, REGION, ROOT, Emulator, running_emulator
from tests.timeout import until

MACHINES = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/suspends"
MAY: Any = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "states:SendTaskSuccess", "Resource": f"{MACHINES}:own"}],
}
TRUST: Any = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": f"{service}.amazonaws.com"}}
        for service in ("lambda", "states")
    ],
}
DEFINITION: Any = {
    "QueryLanguage": "JSONata",
    "StartAt": "Suspend",
    "States": {
        "Suspend": {
            "Type": "Task",
            "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken",
            "Arguments": {
                "FunctionName": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:suspends",
                "Payload": "{% $merge([$states.input, {'token': $states.context.Task.Token}]) %}",
            },
            "TimeoutSeconds": "{% $states.input.seconds %}",
            "Retry": [{"ErrorEquals": ["KeyError"], "IntervalSeconds": 1, "MaxAttempts": 2, "BackoffRate": 1}],
            "Catch": [{"ErrorEquals": ["States.Timeout"], "Next": "Late"}],
            "End": True,
        },
        "Late": {"Type": "Pass", "Output": "late", "End": True},
    },
}


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    """The emulator with a function that gets tokens, two machines that send it some, and a function that dies."""
    with running_emulator() as emulator:
        iam = emulator.client("iam")
        iam.create_role(RoleName="suspends", AssumeRolePolicyDocument=json.dumps(TRUST))
        iam.put_role_policy(RoleName="suspends", PolicyName="may", PolicyDocument=json.dumps(MAY))
        for name, module in (("suspends", "suspended"), ("dies", "begins_dead")):
            emulator.client("lambda").create_function(
                FunctionName=name,
                Runtime="provided.al2023",
                Handler=f"tests.local.{module}.handler",
                Role=ROLE,
                Code={"ZipFile": runtime()},
                Timeout=30,
            )
        for name in ("own", "other"):
            emulator.client("stepfunctions").create_state_machine(
                name=name, definition=json.dumps(DEFINITION), roleArn=ROLE
            )
        yield emulator


def runtime() -> bytes:
    """Pack the bootstrap that the functions of the stack have."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(ROOT / "infra" / "local_runtime" / "bootstrap", "bootstrap")
    return packed.getvalue()


@dataclass(slots=True, kw_only=True)
class Suspended:
    """One execution of such a machine."""

    emulator: Emulator
    folder: Path
    arn: str = ""

    def start(self, machine: str = "own", *, failures: int = 0, brings: bool = False, seconds: int = 60) -> None:
        given = {"folder": str(self.folder), "failures": failures, "brings": brings, "seconds": seconds}
        started = self.emulator.client("stepfunctions").start_execution(
            stateMachineArn=f"{MACHINES}:{machine}", input=json.dumps(given)
        )
        self.arn = started["executionArn"]

    def tokens(self, count: int) -> list[str]:
        """Return so many tokens, once the function got them."""
        file = self.folder / "tokens"
        return until(lambda: len(lines(file)) == count and lines(file)) or []

    def bring_back(self, token: str) -> None:
        self.emulator.client("stepfunctions").send_task_success(taskToken=token, output='"somebody"')

    def end(self) -> tuple[str, str]:
        """Return how the execution ended, and what came back or went wrong, once it has."""
        found = until(lambda: (now := self._describe())["status"] != "RUNNING" and now)
        return found["status"], json.loads(found["output"]) if found["status"] == "SUCCEEDED" else found["error"]

    def _describe(self) -> Any:
        return self.emulator.client("stepfunctions").describe_execution(executionArn=self.arn)


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def suspended(emulator: Emulator, tmp_path: Path) -> Suspended:
    return Suspended(emulator=emulator, folder=tmp_path)


def test_a_state_waits_for_its_token(suspended: Suspended) -> None:
    suspended.start()
    (token,) = suspended.tokens(1)
    suspended.bring_back(token)

    assert suspended.end() == ("SUCCEEDED", "somebody")


def test_a_state_waits_no_longer_than_its_input_says(suspended: Suspended) -> None:
    suspended.start(seconds=1)

    assert suspended.end() == ("SUCCEEDED", "late")


def test_a_state_whose_function_fails_sends_another_token(suspended: Suspended) -> None:
    suspended.start(failures=2)
    tokens = suspended.tokens(3)
    assert len(set(tokens)) == 3

    for useless in tokens[:2]:
        with pytest.raises(ClientError, match="TaskDoesNotExist"):
            suspended.bring_back(useless)
    suspended.bring_back(tokens[2])
    assert suspended.end() == ("SUCCEEDED", "somebody")


def test_a_state_whose_function_always_fails_fails_with_it(suspended: Suspended) -> None:
    suspended.start(failures=99)

    assert suspended.end() == ("FAILED", "KeyError")


def test_a_function_may_bring_back_tokens_of_the_machines_that_its_role_names(suspended: Suspended) -> None:
    suspended.start("own", brings=True)

    assert suspended.end() == ("SUCCEEDED", "itself")


def test_a_function_may_bring_back_no_tokens_of_others(suspended: Suspended) -> None:
    suspended.start("other", brings=True)
    (token,) = suspended.tokens(1)
    assert until(lambda: lines(suspended.folder / "said")) == ["AccessDeniedException"]

    suspended.bring_back(token)
    assert suspended.end() == ("SUCCEEDED", "somebody")


def test_a_process_that_dies_as_it_begins_is_named_as_one_that_dies_later(emulator: Emulator) -> None:
    answer = emulator.client("lambda").invoke(FunctionName="dies", Payload=b"{}")

    assert json.loads(answer["Payload"].read())["errorType"] == "Runtime.ExitError"
    assert answer["FunctionError"]
