"""Bring what the template describes into being in moto: as much of it as a task touches."""

import io
import zipfile
from functools import cache
from typing import Any

import boto3

from mcp_tasks.testing.state_machines.template import ARNS, REGION, Template

ROLE = "harness"


@cache
def client(service: str) -> Any:
    """Return a client of the harness's region: made once, as moto sees its calls whenever it is on."""
    return boto3.client(service, region_name=REGION)


def deploy(template: Template) -> None:
    """Create the tables, buckets, functions and state machines."""
    _tables(template)
    s3 = client("s3")
    for name, _ in template.of_type("AWS::S3::Bucket"):
        s3.create_bucket(Bucket=name)
    client("iam").create_role(RoleName=ROLE, AssumeRolePolicyDocument="{}")
    role = ARNS["AWS::IAM::Role"].format(ROLE)
    _functions(template, role)
    step_functions = client("stepfunctions")
    for name, machine in template.of_type("AWS::StepFunctions::StateMachine"):
        step_functions.create_state_machine(name=name, definition=machine["DefinitionString"], roleArn=role)


def _tables(template: Template) -> None:
    dynamodb = client("dynamodb")
    for name, table in template.of_type("AWS::DynamoDB::GlobalTable"):
        indexes = table.get("GlobalSecondaryIndexes", [])
        created = dynamodb.create_table(
            TableName=name,
            KeySchema=table["KeySchema"],
            AttributeDefinitions=table["AttributeDefinitions"],
            BillingMode=table["BillingMode"],
            StreamSpecification={"StreamEnabled": True, **table["StreamSpecification"]},
            **({"GlobalSecondaryIndexes": indexes} if indexes else {}),
        )
        template.learn(name, "StreamArn", created["TableDescription"]["LatestStreamArn"])


def _functions(template: Template, role: str) -> None:
    lambdas = client("lambda")
    nothing = io.BytesIO()
    zipfile.ZipFile(nothing, "w").close()
    for name, function in template.of_type("AWS::Lambda::Function"):
        lambdas.create_function(
            FunctionName=name,
            Runtime=function["Runtime"],
            Handler=function["Handler"],
            Role=role,
            Code={"ZipFile": nothing.getvalue()},
        )
