"""The stage that live tests look at is deployed as any other, and with each setting has what its test looks for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.infra.assembly import OWN_STAGE, ROOT, synthesise

APP = ROOT / "tests/live/stage/app.py"
DOMAIN = {"name": "tasks.acme.dev", "certificate_arn": "arn:aws:acm:eu-west-1:111122223333:certificate/9c7f5a7e"}
EVERYWHERE = {"AWS::Lambda::Function", "AWS::StepFunctions::StateMachine", "AWS::S3::Bucket", "AWS::ApiGateway::Stage"}


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        ({}, {"AWS::DynamoDB::GlobalTable"}),
        pytest.param(
            {"tool_isolation": "tenant", "customer_key": True, "trace_rate": 1, "tenant_share": 0.1, "domain": DOMAIN},
            {"AWS::KMS::Key", "AWS::XRay::SamplingRule", "AWS::ApiGateway::UsagePlan", "AWS::ApiGateway::DomainName"},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["plain", "with all settings"],
)
def test_a_stage_has_what_live_tests_look_for(tmp_path: Path, settings: Mapping[str, Any], kinds: set[str]) -> None:
    made = synthesise(tmp_path, {**OWN_STAGE, **settings}, of=APP, validation=True)

    assert made.name == "McpTaskLive-dev"
    assert made.outputs.keys() >= {"Url", "ApiId", "TableName", "PayloadBucket", "DataBucket", "ItemsTable"}
    assert {each["Type"] for each in made.resources.values()} >= EVERYWHERE | kinds


def test_it_takes_neither_the_address_nor_the_table_of_the_stage_whose_settings_it_has(tmp_path: Path) -> None:
    arn = "arn:aws:dynamodb:eu-west-1:111122223333:table/theirs"
    theirs = {"domain": DOMAIN, "table": {"arn": arn, "stream_arn": f"{arn}/stream/2026"}, "keep_data": True}
    stage = {**OWN_STAGE["stages"]["dev"], **theirs, "public_url": "https://tasks.acme.dev"}
    made = synthesise(tmp_path, {**OWN_STAGE, "stages": {"dev": stage}}, of=APP)

    assert "AWS::ApiGateway::DomainName" not in {each["Type"] for each in made.resources.values()}
    assert made.outputs["TableName"].startswith("<TasksTable")
    assert "tasks.acme.dev" not in made.outputs["Url"]
