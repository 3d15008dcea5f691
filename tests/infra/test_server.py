"""`TaskServer` in an app of one's own: several of them, and what an app hands in or uses."""

import json
import re
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, RemovalPolicy, Stack, Validations
from aws_cdk.aws_apigateway import DomainName
from aws_cdk.aws_certificatemanager import Certificate
from aws_cdk.aws_cognito import UserPool
from aws_cdk.aws_s3 import Bucket
from cdk_nag import AwsSolutionsChecks

from infra import ExistingTaskTable, ServerSettings, TaskServer, TaskTable, Tokens, Tools
from infra.resource_metadata import ResourceMetadata
from infra.server_settings import KINDS
from mcp_tasks.security.scopes import StageScopes
from tests.infra.assembly import ROOT, UNBUNDLED, Assembly, flat

MACHINES = "layers.examples.machines"
ISSUER = "https://login.acme.dev/"
TOKENS = Tokens(issuer=ISSUER, audience="https://tasks.acme.dev/mcp", jwks_url=f"{ISSUER}keys")


@pytest.fixture
def app(tmp_path: Path) -> App:
    """An app that has none of the feature flags of `cdk.json`."""
    return App(outdir=str(tmp_path), context=dict(UNBUNDLED))


def add(stack: Stack, construct_id: str = "Tasks", **given: Any) -> TaskServer:
    """Add a server of the tools of this repository, which with `local` has no layers that take time to be made."""
    tools = Tools(ROOT / "layers/examples", "examples")
    usual: dict[str, Any] = {"tools": tools, "tokens": TOKENS, "machines": MACHINES, "local": True}
    return TaskServer(stack, construct_id, **(usual | given))


def synthesised(app: App, stack: Stack) -> Assembly:
    """Return what a stack of the app is synthesised to."""
    return Assembly(folder=Path(app.synth().directory), name=stack.stack_name)


def values(assembly: Assembly, kind: str, field: str) -> list[str]:
    """Return a property of each resource of a type."""
    return sorted(flat(properties[field]) for properties in assembly.of(kind).values())


def test_two_servers_in_one_stack_share_no_name(app: App) -> None:
    stack = Stack(app, "Shop")
    add(stack, "Agents", name="agents")
    billing = add(stack, "Billing", account_logs_role=False).name
    made = synthesised(app, stack)

    for kind, field in (
        ("AWS::StepFunctions::StateMachine", "StateMachineName"),
        ("AWS::ApiGateway::RestApi", "Name"),
        ("AWS::ApiGateway::Authorizer", "Name"),
    ):
        found = values(made, kind, field)
        assert len(set(found)) == len(found) > 1
    assert {
        machine.rpartition("-")[0] for machine in values(made, "AWS::StepFunctions::StateMachine", "StateMachineName")
    } == {"agents", billing}
    groups = [group["LogGroupName"] for group in made.of("AWS::Logs::LogGroup").values() if "LogGroupName" in group]
    assert sorted(groups) == sorted(f"/aws/vendedlogs/states/{name}" for name in ("agents", billing))
    metrics = made.of("AWS::Logs::MetricFilter").values()
    assert {metric["MetricTransformations"][0]["MetricNamespace"] for metric in metrics} == {"agents", billing}


def test_servers_of_two_stacks_are_named_apart_without_being_told(app: App) -> None:
    assert add(Stack(app, "Shop")).name != add(Stack(app, "Depot")).name


def test_an_account_has_one_role_for_the_logs_of_its_apis(app: App) -> None:
    stack = Stack(app, "Shop")
    add(stack, "Agents")
    add(stack, "Billing", account_logs_role=False)

    assert len(synthesised(app, stack).of("AWS::ApiGateway::Account")) == 1


def test_a_server_uses_the_table_of_another_stack(app: App) -> None:
    data = Stack(app, "Data")
    table = TaskTable(data, "Tasks", keep=True, removal=RemovalPolicy.RETAIN)
    stack = Stack(app, "Shop")
    server = add(stack, table=table)
    made = synthesised(app, stack)

    assert server.table is table
    assert made.of("AWS::DynamoDB::GlobalTable") == {}
    for function in ("servemcp", "runtool", "sweep"):
        variables = made.of("AWS::Lambda::Function")[f"TasksFunctions{function}"]["Environment"]["Variables"]
        assert "Data:ExportsOutputRefTasksTable" in str(variables["TABLE_NAME"])


def test_a_server_takes_over_a_table_that_exists(app: App) -> None:
    stack = Stack(app, "Shop")
    arn = "arn:aws:dynamodb:eu-central-1:111111111111:table/Old-TasksTable"
    table = ExistingTaskTable(stack, "Table", arn=arn, stream_arn=f"{arn}/stream/2026-11-22T00:00:00.000")
    add(stack, table=table)
    made = synthesised(app, stack)
    sweep = made.of("AWS::Lambda::Function")["TasksFunctionssweep"]
    (mapping,) = made.of("AWS::Lambda::EventSourceMapping").values()

    assert made.of("AWS::DynamoDB::GlobalTable") == {}
    assert sweep["Environment"]["Variables"]["TABLE_NAME"] == "Old-TasksTable"
    assert mapping["EventSourceArn"] == table.stream_arn
    assert f"{arn}/index/live" in str(made.of("AWS::IAM::Policy")["TasksFunctionssweepRoleDefaultPolicy"])


def test_a_table_is_of_one_server(app: App) -> None:
    stack = Stack(app, "Shop")
    table = TaskTable(stack, "Table", keep=False, removal=RemovalPolicy.DESTROY)
    add(stack, "Agents", table=table)

    with pytest.raises(ValueError, match=r"^Shop/Table is the table of Shop/Agents, and so not of Shop/Billing: "):
        add(stack, "Billing", table=table)


def test_clients_find_a_server_at_its_domain(app: App) -> None:
    stack = Stack(app, "Shop")
    certificate = Certificate(stack, "Certificate", domain_name="tasks.acme.dev")
    domain = DomainName(stack, "Domain", domain_name="tasks.acme.dev", certificate=certificate)
    server = add(stack, domain=domain)
    made = synthesised(app, stack)
    (mapping,) = made.of("AWS::ApiGateway::BasePathMapping").values()
    challenge = made.of("AWS::ApiGateway::GatewayResponse")["TasksEndpointApiUnauthorized"]["ResponseParameters"]

    assert "BasePath" not in mapping
    assert flat(mapping["RestApiId"]) == "<TasksEndpointApi>"
    assert flat(stack.resolve(server.url)).startswith("https://<Domain")
    assert "https://<Domain" in flat(challenge["gatewayresponse.header.WWW-Authenticate"])


def test_the_tokens_of_a_user_pool_are_accepted(app: App) -> None:
    stack = Stack(app, "Shop")
    pool = UserPool(stack, "Users")
    add(stack, tokens=Tokens.of_user_pool(pool, audience="https://tasks.acme.dev/mcp", tenant_claim="custom:tenant"))
    variables = synthesised(app, stack).of("AWS::Lambda::Function")["TasksFunctionsauthorize"]["Environment"][
        "Variables"
    ]

    issuer = "https://cognito-idp.<AWS::Region>.<AWS::URLSuffix>/<Users>"
    assert flat(variables["ISSUER"]) == issuer
    assert flat(variables["JWKS_URL"]) == f"{issuer}/.well-known/jwks.json"
    assert variables["TENANT_CLAIM"] == "custom:tenant"


def test_the_clients_of_a_user_pool_may_be_named_beside_another_issuer(app: App) -> None:
    stack = Stack(app, "Shop")
    pool = UserPool(stack, "Users")
    clients = [pool.add_client("Agents").user_pool_client_id]
    add(stack, tokens=[TOKENS, Tokens.of_user_pool(pool, client_ids=clients, tenant="shop")])
    function = synthesised(app, stack).of("AWS::Lambda::Function")["TasksFunctionsauthorize"]
    ours, theirs = json.loads(flat(function["Environment"]["Variables"]["ISSUERS"]))

    assert ours["ISSUER"] == ISSUER
    assert theirs["CLIENT_IDS"].startswith("<UsersAgents")
    assert theirs["TENANT"] == "shop"
    assert "AUDIENCE" not in theirs


def test_a_server_without_an_issuer_is_refused(app: App) -> None:
    with pytest.raises(SystemExit, match="tokens: there is no issuer"):
        add(Stack(app, "Shop"), tokens=[])


def test_the_scopes_of_a_stage_reach_the_functions_that_ask_for_them(app: App) -> None:
    stack, scopes = Stack(app, "Shop"), {"call": ["tools:call"], "answer": ["tools:answer"]}
    add(stack, settings=ServerSettings(required_scopes=scopes, hide_tools=True, public_url="https://tasks.acme.dev"))
    functions = synthesised(app, stack).of("AWS::Lambda::Function")
    of = {name: functions[f"TasksFunctions{name}"]["Environment"]["Variables"] for name in ("servemcp", "hostrun")}

    assert [json.loads(variables["REQUIRED_SCOPES"]) for variables in of.values()] == [scopes, scopes]
    assert of["hostrun"]["CATALOGUE"] == of["servemcp"]["CATALOGUE"]
    assert of["servemcp"]["HIDE_TOOLS"] == "1"
    assert of["servemcp"]["METADATA_URL"] == "https://tasks.acme.dev/.well-known/oauth-protected-resource/mcp"


def metadata(scopes: Sequence[str]) -> ResourceMetadata:
    """Return the metadata of a server whose clients are to ask for these scopes."""
    return ResourceMetadata(base_url="https://tasks.acme.dev", issuers=[ISSUER], scopes=scopes)


def test_the_scopes_that_clients_are_to_ask_for_are_in_the_metadata_and_in_each_401(app: App) -> None:
    stack = Stack(app, "Shop")
    add(stack, tokens=replace(TOKENS, scopes=["tools:call", "reports:write"]))
    responses = synthesised(app, stack).of("AWS::ApiGateway::GatewayResponse").values()
    (header,) = [
        flat(response["ResponseParameters"]["gatewayresponse.header.WWW-Authenticate"])
        for response in responses
        if response["ResponseType"] == "UNAUTHORIZED"
    ]
    assert header.endswith("""/oauth-protected-resource/mcp", scope="tools:call reports:write"'""")

    assert metadata(["tools:call"]).document["scopes_supported"] == ["tools:call"]


@pytest.mark.parametrize("scopes", ["tools:call", ["two words"], ['a"quote'], ["a'quote"], [""]])
def test_scopes_that_would_break_the_challenge_are_not_deployed(scopes: Any) -> None:
    with pytest.raises(ValueError, match="scopes "):
        metadata(scopes)


def test_a_challenge_names_the_address_of_the_gateway_where_there_is_no_other(app: App) -> None:
    stack = Stack(app, "Shop")
    add(stack)
    serve = synthesised(app, stack).of("AWS::Lambda::Function")["TasksFunctionsservemcp"]
    address = "https://<TasksEndpointApi>.execute-api.<AWS::Region>.<AWS::URLSuffix>/prod"
    where = flat(serve["Environment"]["Variables"]["METADATA_URL"])
    assert where == f"{address}/.well-known/oauth-protected-resource/mcp"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"calls": ["tools:call"]},
            "required_scopes has 'calls': requests are of the kinds call, read, cancel, answer",
        ),
        ({"call": "tools:call"}, "required_scopes: call is a list, such as ['tools:call'], not 'tools:call'"),
        ({"call": ["a b"]}, "required_scopes: call has 'a b', which is no scope"),
    ],
)
def test_scopes_that_no_request_could_need_are_not_deployed(given: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        ServerSettings(required_scopes=given)
    with pytest.raises((TypeError, ValueError)):
        StageScopes.of(given)


def test_infra_knows_the_kinds_of_requests_that_the_server_does() -> None:
    assert [kind.name for kind in fields(StageScopes)] == list(KINDS)


def test_an_app_grants_what_tools_may_access(app: App) -> None:
    stack = Stack(app, "Shop")
    orders = Bucket(stack, "Orders")
    orders.grant_read(add(stack).run_tool)
    policies = synthesised(app, stack).of("AWS::IAM::Policy")

    allowed = {name for name, policy in policies.items() if "Orders" in str(policy["PolicyDocument"])}
    assert allowed == {"TasksFunctionstoolsRoleDefaultPolicy"}


def test_a_name_that_leaves_no_room_for_machines_is_rejected(app: App) -> None:
    with pytest.raises(SystemExit, match="has more than 80 characters"):
        add(Stack(app, "Shop"), name="n" * 75)


def test_one_origin_is_not_a_list_of_its_letters() -> None:
    with pytest.raises(ValueError, match=r"^allowed_origins is a list, such as \['\*'\], not '\*'"):
        ServerSettings(allowed_origins="*")


def test_nothing_is_found_in_an_app_without_feature_flags(app: App) -> None:
    stack = Stack(app, "Shop")
    add(stack, local=False)
    Validations.of(app).add_plugins(AwsSolutionsChecks())
    reports = synthesised(app, stack).read("validation-report.json")["pluginReports"]

    assert [report["violations"] for report in reports if report["pluginName"] == "AwsSolutions"] == [[]]


def test_two_servers_of_one_name_in_a_stack_are_rejected(app: App) -> None:
    stack = Stack(app, "Shop")
    add(stack, "Agents", name="shop")

    with pytest.raises(SystemExit, match=r"^Shop/Billing and Shop/Agents are both named 'shop': give one another name"):
        add(stack, "Billing", name="shop")


@pytest.mark.parametrize(("folder", "module"), [("nowhere", "tools"), ("layers/examples", "no_tools.bills")])
def test_tools_that_are_not_there_are_rejected(app: App, folder: str, module: str) -> None:
    with pytest.raises(SystemExit, match=rf"^There is no package {module.partition('.')[0]} in {folder}/python, "):
        add(Stack(app, "Shop"), tools=Tools(folder, module), local=False)
