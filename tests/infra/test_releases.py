"""A deploy publishes a version of every function, and whoever invokes one has it by its alias."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack
from aws_cdk.aws_lambda import Code, LayerVersion

from infra import ServerSettings
from infra.functions import Functions
from infra.release import VARIABLE
from tests.infra.assembly import UNBUNDLED, Assembly
from tests.infra.test_server import add, synthesised

FUNCTION, VERSION, ALIAS = (f"AWS::Lambda::{kind}" for kind in ("Function", "Version", "Alias"))
BESIDES = {VERSION, ALIAS, "AWS::Lambda::EventInvokeConfig", "AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"}
"""What is of a function, and invokes none."""


@pytest.mark.parametrize("stage", ["cloud", "prod", "local", "sampled"])
def test_every_function_has_a_version_that_stays_and_an_alias_that_leads_to_it(
    stage: str, request: pytest.FixtureRequest
) -> None:
    assembly: Assembly = request.getfixturevalue(stage)
    versions = {name: each for name, each in assembly.resources.items() if each["Type"] == VERSION}
    led_to = {each["FunctionVersion"]["Fn::GetAtt"][0] for each in assembly.of(ALIAS).values()}

    assert {each["FunctionName"]["Ref"] for each in assembly.of(ALIAS).values()} == set(assembly.of(FUNCTION))
    assert {each["Name"] for each in assembly.of(ALIAS).values()} == {"live"}
    assert led_to == set(versions)
    assert {(each["DeletionPolicy"], each["UpdateReplacePolicy"]) for each in versions.values()} == {("Retain",) * 2}


@pytest.mark.parametrize("stage", ["cloud", "prod", "local", "sampled"])
def test_nobody_is_told_of_a_function_but_by_its_alias(stage: str, request: pytest.FixtureRequest) -> None:
    """But for executions that 0.3 started: their state machines may invoke it, and their definitions do."""
    assembly: Assembly = request.getfixturevalue(stage)
    functions = set(assembly.of(FUNCTION))
    told = {
        name: each["Type"]
        for name, each in assembly.resources.items()
        if each["Type"] not in BESIDES and functions & set(named(each["Properties"]))
    }

    assert set(told.values()) == {"AWS::IAM::Policy"}
    assert all("MachineRole" in name for name in told), told


def test_a_deployment_of_the_api_waits_for_the_permission_to_invoke_what_it_leads_to(cloud: Assembly) -> None:
    (deployment,) = (each for each in cloud.resources.values() if each["Type"] == "AWS::ApiGateway::Deployment")
    permissions = cloud.of("AWS::Lambda::Permission").items()
    of_the_api = {name for name, each in permissions if each["Principal"] == "apigateway.amazonaws.com"}

    assert of_the_api
    assert of_the_api <= set(deployment["DependsOn"])


def test_a_change_of_one_function_is_a_new_version_of_all(tmp_path: Path) -> None:
    before, same, after = (
        versions(tmp_path / name, host_gets)
        for name, host_gets in (("before", "this"), ("same", "this"), ("after", "that"))
    )

    assert before == same
    assert len(before) == len(after) > 10
    assert not before & after


def test_a_change_of_a_layer_is_a_new_release(tmp_path: Path) -> None:
    found = {release(tmp_path / name, layer=text) for name, text in (("a", "x = 1"), ("b", "x = 1"), ("c", "x = 2"))}

    assert len(found) == 2


def test_what_is_no_part_of_a_version_makes_no_release(tmp_path: Path) -> None:
    """Lambda would refuse to publish a version that is as the one before."""
    assert versions(tmp_path / "few", reserved=5) == versions(tmp_path / "many", reserved=50)


def made(folder: Path, host_gets: str = "", *, layer: str = "", reserved: int | None = None) -> Assembly:
    """Return a server in a stack with a layer, whose function `host_run` is given a variable."""
    app = App(outdir=str(folder), context=dict(UNBUNDLED))
    stack = Stack(app, "Shop")
    server = add(stack, settings=ServerSettings(serve_concurrency=reserved))
    functions = server.node.find_child("Functions")
    assert isinstance(functions, Functions)
    functions.host_run.add_environment("GIVEN", host_gets)
    if layer:
        folder.with_suffix(".layer").mkdir()
        (folder.with_suffix(".layer") / "x.py").write_text(layer)
        LayerVersion(stack, "Layer", code=Code.from_asset(str(folder.with_suffix(".layer"))))
    return synthesised(app, stack)


def versions(folder: Path, host_gets: str = "", **given: Any) -> set[str]:
    """Return the logical ids of the versions: each that is new is published."""
    return set(made(folder, host_gets, **given).of(VERSION))


def release(folder: Path, **given: Any) -> str:
    """Return the name of the release."""
    functions = made(folder, **given).of(FUNCTION).values()
    (name,) = {each["Environment"]["Variables"][VARIABLE] for each in functions}
    return str(name)


def named(value: Any) -> Iterator[str]:
    """Yield the logical ids that an intrinsic function in a value names."""
    match value:
        case {"Ref": str(name)} | {"Fn::GetAtt": [str(name), _]}:
            yield name
        case dict():
            for each in value.values():
                yield from named(each)
        case list():
            for each in value:
                yield from named(each)
