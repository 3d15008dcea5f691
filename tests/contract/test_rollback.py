"""`make rollback` and `make prune`, with functions whose versions are those of several deploys."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from moto import mock_aws

from local.prune import outdated
from local.releases import aliases_of, release_before
from local.rollback import return_to
from local.stage import Refused
from mcp_tasks import aws
from tests.contract.deployed_functions import Functions, roll_back


@pytest.fixture
def functions() -> Iterator[Functions]:
    with mock_aws():
        yield Functions()


def test_all_functions_return_to_the_release_before(functions: Functions) -> None:
    for release in ("a", "b", "c"):
        functions.deploy(release, "serve", "run")

    moved = roll_back(functions)

    assert functions.live() == ["b", "b"]
    assert [(function.name, function.held, version.number) for function, version in moved] == [
        ("serve", 3, 2),
        ("run", 3, 2),
    ]


def test_the_release_before_the_eleventh_is_the_tenth(functions: Functions) -> None:
    # As texts, "9" comes after "10".
    for release in "abcdefghijk":
        functions.deploy(release, "serve")
    ((_, version),) = roll_back(functions)

    assert (version.number, functions.live()) == (10, ["j"])


def test_a_second_time_nothing_moves(functions: Functions) -> None:
    for release in ("a", "b", "c"):
        functions.deploy(release, "serve", "run")
    roll_back(functions)

    assert roll_back(functions) == []
    assert functions.live() == ["b", "b"]


def test_a_rollback_that_moved_some_is_finished_by_the_next(functions: Functions) -> None:
    for release in ("a", "b"):
        functions.deploy(release, "serve", "run")
    functions.client.update_alias(FunctionName="serve", Name="live", FunctionVersion="1")

    assert [function.name for function, _ in roll_back(functions)] == ["run"]
    assert functions.live() == ["a", "a"]


def test_of_two_versions_of_a_release_the_newer_one_is_returned_to(functions: Functions) -> None:
    for release in ("a", "a", "b"):
        functions.deploy(release, "serve")

    ((_, version),) = roll_back(functions)

    assert (version.number, functions.client.get_alias(FunctionName="serve", Name="live")["FunctionVersion"]) == (
        2,
        "2",
    )


def test_after_a_rollback_the_next_deploy_goes_forward_and_its_rollback_to_what_was_deployed_before(
    functions: Functions,
) -> None:
    for release in ("a", "b"):
        functions.deploy(release, "serve", "run")
    roll_back(functions)
    functions.deploy("c", "serve", "run")

    assert functions.live() == ["c", "c"]
    roll_back(functions)
    assert functions.live() == ["b", "b"]


def test_the_release_deployed_last_can_be_returned_to(functions: Functions) -> None:
    for release in ("a", "b"):
        functions.deploy(release, "serve", "run")
    roll_back(functions)

    return_to(functions.client, functions.read(), "b")

    assert functions.live() == ["b", "b"]


def test_a_first_deploy_has_none_before_it(functions: Functions) -> None:
    functions.deploy("a", "serve", "run")

    assert release_before(functions.read()) is None


def test_two_versions_of_one_release_are_none_before_it(functions: Functions) -> None:
    """As where a property was changed that is no part of its name."""
    functions.deploy("a", "serve")
    functions.table = "other"
    functions.deploy("a", "serve")

    assert len(functions.read()[0].versions) == 2
    assert release_before(functions.read()) is None


def test_a_release_that_nobody_has_is_refused(functions: Functions) -> None:
    functions.deploy("a", "serve")

    with pytest.raises(Refused, match="No function has a version of a release 'z'"):
        return_to(functions.client, functions.read(), "z")


@pytest.mark.parametrize("store", ["table", "bucket"])
def test_a_release_that_has_its_tasks_in_another_table_or_bucket_is_refused(functions: Functions, store: str) -> None:
    functions.deploy("a", "serve", "run")
    setattr(functions, store, "restored")
    functions.deploy("b", "serve", "run")

    with pytest.raises(Refused, match="The release a has another table or bucket than the stack"):
        roll_back(functions)
    assert functions.live() == ["b", "b"]


def test_a_release_of_which_one_function_has_its_tasks_in_another_table_is_refused(functions: Functions) -> None:
    functions.deploy("a", "serve", "run")
    functions.deploy("b", "serve")
    functions.table = "restored"
    functions.deploy("b", "run")

    with pytest.raises(Refused, match="The release a has another table or bucket than the stack"):
        roll_back(functions)
    assert functions.live() == ["b", "b"]


def test_a_function_that_is_new_stays_and_the_others_return(functions: Functions) -> None:
    functions.deploy("a", "serve", "run")
    functions.deploy("b", "serve", "run", "host")

    roll_back(functions)

    assert functions.live() == ["a", "a", "b"]


def test_a_deploy_that_published_some_versions_and_failed_is_no_release(functions: Functions) -> None:
    functions.deploy("a", "serve", "run")
    functions.publish("broken", "serve")
    functions.revert("a", "serve")
    assert release_before(functions.read()) is None

    functions.deploy("b", "serve", "run")
    roll_back(functions)

    assert functions.live() == ["a", "a"]


@pytest.mark.parametrize("releases", [["a", "b"], ["b"]])
def test_a_deploy_that_ended_halfway_and_was_not_undone_is_left_for_the_release_that_all_have(
    functions: Functions, releases: list[str]
) -> None:
    for release in releases:
        functions.deploy(release, "serve", "run")
    functions.deploy("c", "serve", "new")

    assert [function.name for function, _ in roll_back(functions)] == ["serve"]
    assert functions.live() == ["b", "b", "c"]


def test_code_that_is_deployed_again_as_it_was_is_a_release_after_the_one_between(functions: Functions) -> None:
    for release in ("a", "b", "a"):
        functions.deploy(release, "serve", "run")

    roll_back(functions)

    assert functions.live() == ["b", "b"]


def test_nothing_moves_while_a_deploy_moves_requests_from_version_to_version(functions: Functions) -> None:
    for release in ("a", "b"):
        functions.deploy(release, "serve")
    weights = {"AdditionalVersionWeights": {"1": 0.9}}
    functions.client.update_alias(FunctionName="serve", Name="live", FunctionVersion="2", RoutingConfig=weights)

    with pytest.raises(Refused, match="A deploy is moving requests of serve"):
        functions.read()


def test_what_is_pruned_is_old_and_of_releases_that_no_rollback_returns_to(functions: Functions) -> None:
    for release in ("a", "b", "c", "d"):
        functions.deploy(release, "serve", "run")
    now = aws.clock.now()

    def pruned(before: Any) -> list[tuple[str, str]]:
        return [(function.name, version.release) for function, version in outdated(functions.read(), before)]

    assert pruned(now + timedelta(days=1)) == [(name, release) for name in ("serve", "run") for release in "ba"]
    assert pruned(now - timedelta(days=1)) == []


def test_what_an_alias_was_returned_to_is_not_pruned(functions: Functions) -> None:
    for release in ("a", "b", "c", "d"):
        functions.deploy(release, "serve")
    return_to(functions.client, functions.read(), "a")

    (left,) = outdated(functions.read(), aws.clock.now() + timedelta(days=1))

    assert left[1].release == "b"


def test_a_deploy_that_failed_after_all_versions_were_published_is_a_release(functions: Functions) -> None:
    functions.deploy("a", "serve", "run")
    for name in ("serve", "run"):
        functions.publish("broken", name)
    functions.revert("a", "serve", "run")
    functions.deploy("b", "serve", "run")

    assert release_before(functions.read()) == "broken"


def test_a_release_that_was_rolled_back_is_the_one_before_the_next(functions: Functions) -> None:
    for release in ("a", "bad"):
        functions.deploy(release, "serve", "run")
    roll_back(functions)
    functions.deploy("c", "serve", "run")

    assert release_before(functions.read()) == "bad"


def answer_by(monkeypatch: pytest.MonkeyPatch, code: int, **answers: Any) -> None:
    """Have CloudFormation answer each of these operations so: moto describes no stack whose deploy has not ended."""
    session = boto3.Session(region_name="us-east-1")
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", session)
    for operation, answer in answers.items():
        given = AWSResponse("", code, {}, None), answer
        session.events.register(f"before-call.cloudformation.{operation}", lambda given=given, **_: given)


def describe_stack(monkeypatch: pytest.MonkeyPatch, status: str, *resources: tuple[str, str]) -> None:
    """Have CloudFormation describe a stack in this status, with resources of these types and names."""
    found = [{"ResourceType": kind, "PhysicalResourceId": name} for kind, name in resources]
    described = {"Stacks": [{"StackName": "tasks", "StackStatus": status}]}
    answer_by(monkeypatch, 200, DescribeStacks=described, ListStackResources={"StackResourceSummaries": found})


FUNCTION = "AWS::Lambda::Function", "serve"
ALIAS = "AWS::Lambda::Alias", "arn:aws:lambda:us-east-1:123456789012:function:serve:live"


@pytest.mark.parametrize(
    "status",
    [
        "UPDATE_IN_PROGRESS",
        "UPDATE_ROLLBACK_IN_PROGRESS",
        "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
        "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
        "ROLLBACK_IN_PROGRESS",
        "CREATE_IN_PROGRESS",
    ],
)
def test_nothing_moves_while_the_stack_is_being_deployed(monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    describe_stack(monkeypatch, status, FUNCTION, ALIAS)

    with pytest.raises(Refused, match="The stack tasks is being deployed"):
        aliases_of("tasks")


@pytest.mark.parametrize("status", ["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"])
def test_aliases_of_a_stack_whose_deploy_has_ended_are_found(monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    describe_stack(monkeypatch, status, FUNCTION, ALIAS)

    assert aliases_of("tasks") == {"serve": "live"}


def test_a_stack_without_aliases_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    describe_stack(monkeypatch, "UPDATE_COMPLETE", FUNCTION)

    with pytest.raises(Refused, match="The stack tasks has no aliases"):
        aliases_of("tasks")


def test_a_stack_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    error = {"Code": "ValidationError", "Message": "Stack with id tasks does not exist"}
    answer_by(monkeypatch, 400, DescribeStacks={"Error": error, "ResponseMetadata": {}})

    with pytest.raises(Refused, match="There is no stack tasks: "):
        aliases_of("tasks")
