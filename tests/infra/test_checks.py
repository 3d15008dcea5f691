"""What would deploy and then not work is rejected at synth, in a sentence and with no traceback."""

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Duration

from infra.machine_files import find_machines
from infra.server_checks import refuse_unkeepable_ttl
from infra.server_settings import ServerSettings
from infra.settings import StageSettings
from infra.tool_checks import refuse_longer_ttl, refuse_taken_names, refuse_unknown_machines, refuse_unlocked
from tests.infra.assembly import NODE_MODULES, ROOT, TOKENS, UNBUNDLED, Assembly, app, synthesise


def cdk(assembly: Assembly, *command: str) -> subprocess.CompletedProcess[str]:
    """Run the CDK's command line on what was synthesised, with no account."""
    cli = [str(NODE_MODULES / ".bin" / "cdk"), "--app", str(assembly.folder), *command]
    return subprocess.run(cli, cwd=ROOT, capture_output=True, text=True, check=False)


def errors(assembly: Assembly) -> list[str]:
    """Return what the app says is wrong, as the assembly holds it for the CDK's command line."""
    file = assembly.folder / f"{assembly.name}.metadata.json"
    metadata = json.loads(file.read_text()) if file.exists() else {}
    return [entry["data"] for entries in metadata.values() for entry in entries if entry["type"] == "aws:cdk:error"]


@pytest.mark.parametrize(
    "command",
    [
        ["deploy", "--require-approval=never"],
        pytest.param(["diff"], marks=pytest.mark.slow),
        pytest.param(["synth", "--quiet"], marks=pytest.mark.slow),
    ],
)
def test_placeholders_are_not_deployed(cloud: Assembly, command: list[str]) -> None:
    refused = cdk(cloud, *command)
    said = refused.stdout + refused.stderr

    assert refused.returncode == 1
    assert "cdk.json still has placeholders for issuer and audience and jwks_url of stage 'dev': write there" in said
    assert "Traceback" not in said


def test_a_fresh_clone_can_be_synthesised_all_the_same(cloud: Assembly) -> None:
    """As `make synth` does it."""
    done = cdk(cloud, "synth", "--quiet", "--ignore-errors")

    assert "--ignore-errors" in (ROOT / "Makefile").read_text()
    assert done.returncode == 0
    assert "cdk.json still has placeholders" in done.stdout + done.stderr


def test_the_local_stack_has_an_issuer_of_its_own(local: Assembly) -> None:
    assert errors(local) == []


def test_a_stage_that_says_whose_tokens_it_accepts_has_no_errors(tmp_path: Path, cloud: Assembly) -> None:
    assert errors(synthesise(tmp_path, {**UNBUNDLED, **TOKENS})) == []
    assert len(errors(cloud)) == 1


def test_a_tool_for_a_machine_that_does_not_exist_is_rejected(tmp_path: Path) -> None:
    refused = app(tmp_path, {**UNBUNDLED, **TOKENS, "tools_module": "tests.infra.lost_tools"})

    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1] == (
        "lost: there is no state machine 'nowhere': write layers/examples/machines/nowhere.py, or name one that there "
        "is: direct, remind_me, run_tool."
    )
    assert "Traceback" not in refused.stderr


def test_tools_that_cannot_be_imported_say_why_and_nothing_else_does(tmp_path: Path) -> None:
    refused = app(tmp_path, {**UNBUNDLED, **TOKENS, "tools_module": "tests.infra.no_such_tools"})

    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'tests.infra.no_such_tools'"
    assert refused.stderr.count("Traceback") == 1


def test_tools_for_machines_that_exist_are_not_rejected() -> None:
    refuse_unknown_machines(json.dumps({"tools": [{"name": "greet", "machine": "run_tool"}]}), ["run_tool"], None)


def test_a_server_without_machines_says_where_to_name_them() -> None:
    lost = json.dumps({"tools": [{"name": "greet", "machine": "lost"}]})

    with pytest.raises(SystemExit, match=r"'lost': write lost.py in a package, and name that in TaskServer\(machines="):
        refuse_unknown_machines(lost, ["run_tool"], None)


@pytest.mark.parametrize("ttl", [None, 60.0, 86400.0])
def test_a_ttl_that_tasks_can_have_is_not_rejected(ttl: float | None) -> None:
    refuse_longer_ttl(json.dumps({"tools": [{"name": "greet", "ttl": ttl}]}), 86400)


def test_a_ttl_that_no_task_can_have_is_rejected(tmp_path: Path) -> None:
    context = {"tools_module": "tests.infra.kept_tools", "max_ttl_seconds": 600}
    refused = app(tmp_path, {**UNBUNDLED, **TOKENS, **context})

    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1] == (
        "kept: its tasks are to be kept for 86400 seconds, and max_ttl_seconds is 600: raise that in cdk.json, or give "
        "the tool a shorter ttl."
    )


def test_what_is_not_locked_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "layers" / "tools").mkdir(parents=True)
    (tmp_path / "layers" / "tools" / "requirements.in").write_text("httpx>=0.28\nnumpy\n")
    (tmp_path / "layers" / "tools" / "requirements.txt").write_text("duckdb\n# why\nnumpy==2.1 --hash=sha256:00\n")

    with pytest.raises(SystemExit) as refused:
        refuse_unlocked([tmp_path / "layers" / "core", tmp_path / "layers" / "tools"])
    assert str(refused.value).endswith(
        "layers/tools/requirements.txt does not have duckdb, httpx with a hash: "
        "run `make lock` (in an app of your own, `uv pip compile --universal --generate-hashes`)."
    )


@pytest.mark.parametrize("name", ["functions", "mcp_tasks"])
def test_a_package_of_tools_that_is_named_as_one_of_the_servers_is_rejected(tmp_path: Path, name: str) -> None:
    (tmp_path / "python" / "tools").mkdir(parents=True)
    refuse_taken_names(tmp_path)
    (tmp_path / "python" / name).mkdir()

    with pytest.raises(SystemExit, match=rf"/python/{name}: Lambda finds the server's package of that name"):
        refuse_taken_names(tmp_path)


@pytest.mark.parametrize(
    ("context", "says"),
    [
        ({"stage": "prodd"}, "There is no stage 'prodd' in cdk.json, only "),
        ({"stages": {"dev": {"alowed_origins": []}}}, "has a setting 'alowed_origins'"),
        ({"stages": {"dev": {"allowed_origins": "https://*.a.example"}}}, 'such as ["https://*.a.example"], not'),
        ({"stages": {"dev": {"algorithms": "RS256"}}}, 'algorithms is a list, such as ["RS256"], not "RS256".'),
        ({"allowed_origins": "https://a.example"}, "allowed_origins is JSON on the command line"),
        ({"allowed_origins": ["https://a.example/"]}, "without a path or a slash at the end"),
        ({"allowed_origins": ["https://a.example, https://b.example"]}, "which no browser names as an origin"),
        ({"allowed_origins": ["a.example"]}, "which no browser names as an origin"),
        ({"log_retention": "14 days"}, "such as TWO_WEEKS, not '14 days'."),
        ({}, "Stage 'dev' in cdk.json: it lacks issuer, audience, jwks_url."),
        ({"stages": {"dev": {"max_active_tasks": "20"}}}, 'max_active_tasks is a whole number, not "20".'),
        ({"stages": {"dev": {"page_size": True}}}, "Stage 'dev' in cdk.json: page_size is a whole number, not true."),
        ({"stages": {"dev": {"serve_concurrency": 1.5}}}, "serve_concurrency is a whole number, not 1.5."),
        ({"stages": {"dev": {"keep_data": "no"}}}, "Stage 'dev' in cdk.json: keep_data is true or false, not \"no\"."),
        ({"stages": {"dev": {"customer_key": "no"}}}, 'customer_key is true or false, not "no".'),
        ({"stages": {"dev": {"server_name": 7}}}, "Stage 'dev' in cdk.json: server_name is a text, not 7."),
        ({"stages": {"dev": {"log_retention": ["TWO_WEEKS"]}}}, 'log_retention is a text, not ["TWO_WEEKS"].'),
        ({"stages": {"dev": {"plans": []}}}, "Stage 'dev' in cdk.json: plans is an object, not []."),
        ({"stages": {"dev": {"tags": {"cost": 7}}}}, "Stage 'dev' in cdk.json: the tag cost is a text, not 7."),
        ({"stages": {"dev": "dev"}}, "Stage 'dev' in cdk.json is an object, not \"dev\"."),
        ({"server_website": "http://a.example"}, "Stage 'dev' in cdk.json: server_website is an https URL"),
    ],
)
def test_settings_that_cannot_be_meant_are_rejected_in_a_sentence(context: dict[str, Any], says: str) -> None:
    with pytest.raises(SystemExit, match=re.escape(says)):
        StageSettings.from_context(App(context={"stages": {"dev": {}}} | context).node)


MACHINES = find_machines("layers.examples.machines")


def kept_for(seconds: int) -> ServerSettings:
    """Return the settings of a server whose tasks are kept for at most some seconds."""
    return ServerSettings(max_ttl_seconds=seconds)


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        (300, "max_ttl_seconds is 300, and an outcome is kept for 300 seconds"),
        (
            9 * 86400,
            "'run_tool' ends after 691200 seconds: set a longer TIMEOUT in infra/default_machine.py",
        ),
    ],
)
def test_a_longest_ttl_that_no_task_can_have_is_rejected(seconds: int, says: str) -> None:
    with pytest.raises(SystemExit, match=re.escape(says)):
        refuse_unkeepable_ttl(kept_for(seconds), MACHINES)


@pytest.mark.parametrize("seconds", [301, 8 * 86400])
def test_a_longest_ttl_that_tasks_can_have_is_not_rejected(seconds: int) -> None:
    refuse_unkeepable_ttl(kept_for(seconds), MACHINES)


def test_a_state_machine_may_end_before_the_longest_ttl_does() -> None:
    hours = replace(MACHINES["remind_me"], timeout=Duration.hours(2))

    refuse_unkeepable_ttl(ServerSettings(), {**MACHINES, "remind_me": hours})


@pytest.mark.parametrize("origin", ["*", "null", "https://*.a.example", "http://[::1]:*", "file://", "*://a.example"])
def test_what_can_be_an_origin_is_not_rejected(origin: str) -> None:
    context = {"stages": {"dev": {**TOKENS, "allowed_origins": [origin]}}}

    assert StageSettings.from_context(App(context=context).node).server.allowed_origins == (origin,)


@pytest.mark.parametrize(
    ("plans", "why"),
    [
        ({"gold": {"rate": 7}}, "plan 'gold' has a field 'rate': there are active_tasks"),
        ({"gold": {"held_waits": "many"}}, "plan 'gold': held_waits is a whole number, or null for no limit"),
        ({f"plan {each}": {"active_tasks": 7} for each in range(40)}, "make tenant TENANT=name SET="),
    ],
)
def test_plans_that_no_function_could_read_are_refused(plans: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ServerSettings(plans=plans)
