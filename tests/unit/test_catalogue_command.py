"""`python -m mcp_tasks.features.catalogue`: its output is the catalogue, whatever modules of tools do when imported."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from local.reload import explained

TOOLS = """
from mcp_tasks import tool

@tool()
def t() -> str:
    "T."
    return "x"
TOOLS = [t]
"""
WITHOUT = ("AWS_REGION", "AWS_DEFAULT_REGION", "CDK_DEFAULT_REGION", "BUCKET")


def command(folder: Path, module: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command for a module of a folder, in an environment without a region."""
    inherited = {name: value for name, value in os.environ.items() if name not in WITHOUT}
    path = os.pathsep.join([str(folder), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", "mcp_tasks.features.catalogue", module],
        env={**inherited, "PYTHONPATH": path, "PYTHONSAFEPATH": "1", **variables},
        check=False,
        capture_output=True,
        text=True,
    )


def package(folder: Path, text: str) -> None:
    """Write a package of tools, one of whose modules begins with a text."""
    (folder / "wares").mkdir()
    (folder / "wares" / "__init__.py").write_text("from wares.slow import TOOLS\n")
    (folder / "wares" / "slow.py").write_text(text + TOOLS)


@pytest.mark.parametrize(
    "text",
    [
        "print('loading the model ...')",
        "import sys, logging; logging.basicConfig(stream=sys.stdout); logging.warning('loading the model ...')",
        "import os; os.write(1, b'loading the model ...')",
        "import atexit; atexit.register(print, 'loading the model ...')",
        "import subprocess; subprocess.run(['echo', 'loading the model ...'])",
    ],
    ids=["print", "logging", "write", "atexit", "subprocess"],
)
def test_what_a_tool_prints_at_import_goes_to_stderr(tmp_path: Path, text: str) -> None:
    package(tmp_path, text)

    done = command(tmp_path, "wares")

    assert (done.returncode, [tool["name"] for tool in json.loads(done.stdout)["tools"]]) == (0, ["t"])
    assert "loading the model ..." in done.stderr


def test_the_module_that_prints_at_import_is_named(tmp_path: Path) -> None:
    package(tmp_path, "print('one', 2)\nprint('three\\nfour', end='')")

    lines = command(tmp_path, "wares").stderr.splitlines()

    said = "wares.slow prints when it is imported: "
    assert lines == [f"{said}one 2", f"{said}three", f"{said}four"]


@pytest.mark.parametrize("variables", [{}, {"CDK_DEFAULT_REGION": "eu-west-3"}, {"AWS_DEFAULT_REGION": "eu-west-3"}])
def test_a_client_of_aws_at_import_finds_a_region(tmp_path: Path, variables: dict[str, str]) -> None:
    package(tmp_path, "import boto3, sys; print(boto3.client('s3').meta.region_name, file=sys.stderr)")

    done = command(tmp_path, "wares", **variables)

    assert (done.returncode, done.stderr) == (0, f"{'eu-west-3' if variables else 'us-east-1'}\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "import os; BUCKET = os.environ['BUCKET']",
            "The variable BUCKET is not set here, where tools are listed: read it in the function that needs it, "
            "or write os.environ.get('BUCKET').",
        ),
        (
            "import boto3; boto3.client('sts').get_caller_identity()",
            "AWS is called here, where tools are listed: call it in the function that needs the answer.",
        ),
        ("{}['BUCKET']", "KeyError: 'BUCKET'"),
    ],
    ids=["environ", "call", "other"],
)
def test_an_import_that_fails_where_tools_are_listed_says_what_to_write(tmp_path: Path, text: str, said: str) -> None:
    package(tmp_path, text)
    nobody = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_CONFIG_FILE": os.devnull}

    done = command(
        tmp_path, "wares", **nobody, AWS_SHARED_CREDENTIALS_FILE=os.devnull, AWS_EC2_METADATA_DISABLED="true"
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert f'{tmp_path / "wares" / "slow.py"}", line 1' in done.stderr
    assert done.stderr.splitlines()[-1] == said


def test_make_serve_says_the_same_of_a_variable_and_of_a_region(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.delenv("BUCKET", raising=False)
    for text, said in (
        ("import os; os.environ['BUCKET']", "The variable BUCKET is not set here"),
        ("import boto3; boto3.session.Session().client('sqs')", "Set AWS_DEFAULT_REGION, or make the client of AWS in"),
        ("import wares_of_nobody", "A package from PyPI goes into layers/tools/requirements.in"),
    ):
        with pytest.raises(Exception, match=r".") as raised:
            exec(text)
        assert explained(raised.value, tmp_path).splitlines()[-1].startswith(said)
