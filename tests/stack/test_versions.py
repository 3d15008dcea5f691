"""Versions of functions on the emulator: each keeps its code and variables, and what a deploy finds running ends."""

import io
import json
import os
import zipfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from local.emulator import ACCOUNT, PYTHON_PATH, Emulator, running_emulator
from tests.timeout import until

BOOTSTRAP = Path(__file__).parents[2] / "infra/local_runtime/bootstrap"
CODE = """
import os
import time
from pathlib import Path

WORD = "{word}"


def handler(event, context):
    if "until" in event:
        Path(event["began"]).touch()
        while not Path(event["until"]).exists():
            time.sleep(0.02)
    return [WORD, os.environ["RELEASE"], os.getpid()]
"""
NAME, ALIAS, ROLE = "released", "live", "released"
ASSUMED_BY_LAMBDA = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}],
}


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running_emulator() as emulator:
        emulator.client("iam").create_role(RoleName=ROLE, AssumeRolePolicyDocument=json.dumps(ASSUMED_BY_LAMBDA))
        yield emulator


@pytest.fixture
def function(emulator: Emulator, tmp_path: Path) -> Iterator["Function"]:
    """A function of one release, without versions."""
    made = Function(emulator, tmp_path)
    made.lambdas.create_function(
        FunctionName=NAME,
        Runtime="provided.al2023",
        Role=f"arn:aws:iam::{ACCOUNT}:role/{ROLE}",
        Handler="released.handler",
        Code={"ZipFile": zipped()},
        Environment=made.environment("one"),
        Timeout=60,
    )
    yield made

    made.lambdas.delete_function(FunctionName=NAME)


def zipped() -> bytes:
    """Return what is deployed as every function's code on the emulator."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.write(BOOTSTRAP, "bootstrap")
    return file.getvalue()


class Function:
    """A function whose code says which release it is of, and so does a variable."""

    def __init__(self, emulator: Emulator, folder: Path) -> None:
        self.lambdas = emulator.client("lambda")
        self._folder = folder
        self._pool = ThreadPoolExecutor()

    def environment(self, word: str) -> dict[str, Any]:
        """Write the code of a release, and return the variables that lead to it."""
        code = self._folder / word
        code.mkdir(exist_ok=True)
        (code / "released.py").write_text(CODE.format(word=word))
        return {"Variables": {"RELEASE": word, "LOG_LEVEL": "INFO", "PYTHONPATH": f"{code}{os.pathsep}{PYTHON_PATH}"}}

    def release(self, word: str) -> str:
        """Have the function be of another release, and return the version that is published of it."""
        self.lambdas.update_function_configuration(FunctionName=NAME, Environment=self.environment(word))
        return str(self.lambdas.publish_version(FunctionName=NAME)["Version"])

    def call(self, qualifier: str, **event: str) -> list[Any]:
        """Invoke it, and return which code answered, which release it is of by its variable, and its process."""
        reply = self.lambdas.invoke(FunctionName=NAME, Qualifier=qualifier, Payload=json.dumps(event))
        answer: list[Any] = json.load(reply["Payload"])
        assert "FunctionError" not in reply, answer
        return answer

    def begin(self, qualifier: str) -> tuple[Future[list[Any]], Path]:
        """Have it work, and return what it will have answered once there is a file."""
        began, enough = self._folder / f"began {qualifier}", self._folder / f"enough {qualifier}"
        working = self._pool.submit(self.call, qualifier, began=str(began), until=str(enough))
        until(began.exists)
        return working, enough


def alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def test_each_version_answers_by_the_code_and_the_variables_that_it_was_published_with(function: Function) -> None:
    first, second = function.release("one"), function.release("two")

    assert function.call(first)[:2] == ["one", "one"]
    assert function.call(second)[:2] == ["two", "two"]
    assert function.call(first)[2] == function.call(first)[2]


def test_an_alias_with_weights_leads_to_both_and_without_them_to_one(function: Function) -> None:
    first, second = function.release("one"), function.release("two")
    half = {"AdditionalVersionWeights": {first: 0.5}}
    function.lambdas.create_alias(FunctionName=NAME, Name=ALIAS, FunctionVersion=second, RoutingConfig=half)

    # It takes more than this 1 time in 2 ** 40.
    assert {function.call(ALIAS)[0] for _ in range(40)} == {"one", "two"}
    function.lambdas.update_alias(FunctionName=NAME, Name=ALIAS, RoutingConfig={"AdditionalVersionWeights": {}})
    assert {function.call(ALIAS)[0] for _ in range(10)} == {"two"}


@pytest.mark.parametrize("qualifier", ["$LATEST", ALIAS])
def test_what_runs_when_its_function_is_updated_ends_with_the_code_that_it_has(
    function: Function, qualifier: str
) -> None:
    first = function.release("one")
    function.lambdas.create_alias(FunctionName=NAME, Name=ALIAS, FunctionVersion=first)
    working, enough = function.begin(qualifier)
    second = function.release("two")
    function.lambdas.update_alias(FunctionName=NAME, Name=ALIAS, FunctionVersion=second)
    anew = function.call(qualifier)
    enough.touch()
    answer = working.result(timeout=30)

    assert (answer[0], anew[0]) == ("one", "two")
    # Nobody invokes it any more: its process ends, by the next start of another one.
    function.lambdas.update_alias(FunctionName=NAME, Name=ALIAS, FunctionVersion=function.release("three"))
    function.call(ALIAS)
    until(lambda: not alive(answer[2]))
