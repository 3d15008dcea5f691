"""What a stage has beside its server: a domain of its own, tags, and what keeps it from being deleted."""

import re
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from infra import Tools
from infra.settings import StageSettings
from infra.stage_stack import StageStack
from tests.infra.assembly import ROOT, TOKENS, UNBUNDLED, Assembly, flat
from tests.infra.test_server import synthesised

CERTIFICATE = "arn:aws:acm:eu-west-1:111122223333:certificate/9c7f5a7e"
DOMAIN = {"name": "tasks.acme.dev", "certificate_arn": CERTIFICATE}
ZONE = {**DOMAIN, "hosted_zone_id": "Z04ACMEZONE"}


def stage(folder: Path, **settings: Any) -> tuple[StageStack, Assembly]:
    """Synthesise a stage with these settings; a finding of cdk-nag fails."""
    # That of a local stage, whose functions take no time to be bundled.
    context = {**UNBUNDLED, "local": "1", "stages": {"local": {**TOKENS, **settings}}}
    app = App(outdir=str(folder), context=context)
    Validations.of(app).add_plugins(AwsSolutionsChecks())
    tools = Tools(ROOT / "layers/examples", "examples")
    stack = StageStack(app, "Stage", settings=StageSettings.from_context(app.node), tools=tools)
    return stack, synthesised(app, stack)


def test_a_stage_has_a_domain_of_its_own(tmp_path: Path) -> None:
    _, made = stage(tmp_path, domain=ZONE)
    ((name, domain),) = made.of("AWS::ApiGateway::DomainName").items()
    (mapping,) = made.of("AWS::ApiGateway::BasePathMapping").values()

    assert (domain["DomainName"], domain["RegionalCertificateArn"]) == ("tasks.acme.dev", CERTIFICATE)
    assert (domain["EndpointConfiguration"], domain["SecurityPolicy"]) == ({"Types": ["REGIONAL"]}, "TLS_1_2")
    assert flat(mapping["DomainName"]) == f"<{name}>"
    assert re.fullmatch(rf"https://<{name}\w*>/mcp", made.outputs["Url"])


def test_records_in_its_zone_lead_to_it(tmp_path: Path) -> None:
    _, made = stage(tmp_path, domain=ZONE)
    (name,) = made.of("AWS::ApiGateway::DomainName")
    records = made.of("AWS::Route53::RecordSet").values()

    assert {(each["HostedZoneId"], each["Name"], each["Type"]) for each in records} == {
        ("Z04ACMEZONE", "tasks.acme.dev", kind) for kind in ("A", "AAAA")
    }
    assert {flat(each["AliasTarget"]["DNSName"]) for each in records} == {f"<{name}.RegionalDomainName>"}


def test_without_a_zone_the_records_are_left_to_others(tmp_path: Path) -> None:
    _, made = stage(tmp_path, domain=DOMAIN)

    assert len(made.of("AWS::ApiGateway::DomainName")) == 1
    assert not made.of("AWS::Route53::RecordSet")


def test_the_gateways_own_address_can_be_closed(tmp_path: Path) -> None:
    _, made = stage(tmp_path, domain=DOMAIN, disable_execute_api_endpoint=True)
    (api,) = made.of("AWS::ApiGateway::RestApi").values()

    assert api["DisableExecuteApiEndpoint"] is True


def test_it_is_not_closed_where_it_is_the_only_one(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="nobody reaches a server without a domain"):
        stage(tmp_path, disable_execute_api_endpoint=True)


def test_it_is_open_unless_it_is_closed(cloud: Assembly) -> None:
    (api,) = cloud.of("AWS::ApiGateway::RestApi").values()

    assert "DisableExecuteApiEndpoint" not in api


@pytest.mark.parametrize(
    ("domain", "says"),
    [
        ({"name": "tasks.acme.dev"}, "domain has name, certificate_arn and perhaps hosted_zone_id, not name"),
        ({**DOMAIN, "zone": "Z1"}, "not name, certificate_arn, zone"),
        ({**DOMAIN, "name": "https://tasks.acme.dev"}, 'domain has "https://tasks.acme.dev" as its name'),
        ({**DOMAIN, "certificate_arn": "9c7f5a7e"}, 'domain has "9c7f5a7e" as its certificate_arn'),
        ({**DOMAIN, "hosted_zone_id": 7}, "domain has 7 as its hosted_zone_id"),
    ],
)
def test_what_is_no_domain_is_refused_in_a_sentence(tmp_path: Path, domain: dict[str, Any], says: str) -> None:
    with pytest.raises(SystemExit, match=re.escape(says)):
        stage(tmp_path, domain=domain)


def test_everything_has_the_tags_of_the_stage(tmp_path: Path) -> None:
    stack, made = stage(tmp_path, tags={"team": "platform"})
    (table,) = made.of("AWS::DynamoDB::GlobalTable").values()
    tags = [table["Replicas"][0]["Tags"], *(each["Tags"] for each in made.of("AWS::Lambda::Function").values())]

    assert all({"Key": "team", "Value": "platform"} in each for each in tags)
    assert stack.tags.tag_values() == {"team": "platform"}


@pytest.mark.parametrize("kept", [True, False])
def test_a_stack_whose_data_is_kept_is_protected(tmp_path: Path, kept: bool) -> None:
    stack, made = stage(tmp_path, keep_data=kept)
    (table,) = made.of("AWS::DynamoDB::GlobalTable").values()

    assert stack.termination_protection is kept
    assert table["Replicas"][0]["DeletionProtectionEnabled"] is kept


def test_a_key_of_its_own_encrypts_all_that_a_stage_keeps(tmp_path: Path) -> None:
    _, made = stage(tmp_path, customer_key=True)
    ((name, key),) = made.of("AWS::KMS::Key").items()
    used = f"<{name}.Arn>"
    ((table),) = made.of("AWS::DynamoDB::GlobalTable").values()
    buckets = [each["BucketEncryption"] for each in made.of("AWS::S3::Bucket").values()]
    groups = [flat(each["KmsKeyId"]) for each in made.of("AWS::Logs::LogGroup").values()]

    assert key["EnableKeyRotation"] is True
    assert table["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS"}
    assert flat(table["Replicas"][0]["SSESpecification"]["KMSMasterKeyId"]) == used
    assert len(table["Replicas"]) == 1
    assert table["Replicas"][0]["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True
    assert groups
    assert set(groups) == {used}
    assert buckets
    assert {
        flat(rule["ServerSideEncryptionConfiguration"][0]["ServerSideEncryptionByDefault"]["KMSMasterKeyID"])
        for rule in buckets
    } == {used}


def test_the_key_is_used_through_the_services_that_keep_something_and_in_no_other_way(tmp_path: Path) -> None:
    _, made = stage(tmp_path, customer_key=True)
    (key,) = made.of("AWS::KMS::Key").values()
    admin, through, logs = key["KeyPolicy"]["Statement"]

    assert (admin["Principal"].keys(), admin["Action"]) == ({"AWS"}, "kms:*")
    assert through["Condition"]["StringEquals"].keys() == {"kms:CallerAccount", "kms:ViaService"}
    assert [flat(service).partition(".")[0] for service in through["Condition"]["StringEquals"]["kms:ViaService"]] == [
        "dynamodb",
        "s3",
    ]
    assert flat(logs["Principal"]["Service"]).startswith("logs.")
    assert logs["Condition"].keys() == {"ArnLike"}


def test_there_is_none_unless_it_is_asked_for(cloud: Assembly) -> None:
    assert not cloud.of("AWS::KMS::Key")


ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Restored"
STREAM = f"{ARN}/stream/2026-11-23T12:00:00.000"


def test_a_stage_serves_a_table_that_exists(tmp_path: Path) -> None:
    _, made = stage(tmp_path, table={"arn": ARN, "stream_arn": STREAM})
    functions = made.of("AWS::Lambda::Function").values()
    variables = [each["Environment"]["Variables"] for each in functions]
    mappings = made.of("AWS::Lambda::EventSourceMapping").values()

    assert not made.of("AWS::DynamoDB::GlobalTable")
    assert {each["TABLE_NAME"] for each in variables if "TABLE_NAME" in each} == {"Restored"}
    assert STREAM in {each["EventSourceArn"] for each in mappings}


@pytest.mark.parametrize(
    "table",
    [
        {"arn": ARN},
        {"arn": ARN, "stream_arn": "latest"},
        {"name": "Restored"},
        {"arn": "Restored", "stream_arn": STREAM},
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(tmp_path: Path, table: dict[str, Any]) -> None:
    with pytest.raises(SystemExit, match="table has the arn of a table and the stream_arn of its stream"):
        stage(tmp_path, table=table)
