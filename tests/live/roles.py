"""Who may do what: a role with the policies of another one, for as long as a test takes calls by it.

The roles of functions can be taken by Lambda alone, so that the operator cannot call anything as them.  A copy of their
policies is evaluated alike.  A new role is denied everything for some seconds: what is allowed is to be seen first.
"""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.exceptions import ClientError

from tests.live.deployed import until

DENIED = ("AccessDenied", "AccessDeniedException")

MakeClient = Callable[[str], Any]


def policies_of(role: str) -> Mapping[str, Any]:
    """Return the documents of a role's own policies, by their names; the role by its name or ARN."""
    iam, name = boto3.client("iam"), role.rpartition("/")[2]
    names = iam.list_role_policies(RoleName=name)["PolicyNames"]
    return {each: iam.get_role_policy(RoleName=name, PolicyName=each)["PolicyDocument"] for each in names}


@contextmanager
def copied(role: str) -> Iterator[str]:
    """Make a role with the policies of another, and delete it at the end; yields its ARN."""
    iam, account = boto3.client("iam"), boto3.client("sts").get_caller_identity()["Account"]
    policies, name = policies_of(role), f"live-test-{uuid.uuid4().hex}"
    trust = {
        "Effect": "Allow",
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Principal": {"AWS": f"arn:aws:iam::{account}:root"},
    }
    document = {"Version": "2012-10-17", "Statement": [trust]}
    made = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(document))["Role"]["Arn"]
    try:
        for each, policy in policies.items():
            iam.put_role_policy(RoleName=name, PolicyName=each, PolicyDocument=json.dumps(policy))
        yield str(made)
    finally:
        for each in policies_of(made):
            iam.delete_role_policy(RoleName=name, PolicyName=each)
        iam.delete_role(RoleName=name)


def session(role: str, **tags: str) -> MakeClient:
    """Return what makes clients of a session of a role, with these tags."""
    sts, tagged = boto3.client("sts"), [{"Key": key, "Value": value} for key, value in tags.items()]
    given = {"Tags": tagged} if tagged else {}

    def assumed() -> Mapping[str, Any] | None:
        try:
            return dict(sts.assume_role(RoleArn=role, RoleSessionName="live-test", **given)["Credentials"])
        except ClientError as error:
            if error.response["Error"]["Code"] not in DENIED:
                raise
            return None

    found = until(assumed)
    credentials = {
        "aws_access_key_id": found["AccessKeyId"],
        "aws_secret_access_key": found["SecretAccessKey"],
        "aws_session_token": found["SessionToken"],
    }
    return lambda service: boto3.client(service, **credentials)


def said(call: Callable[..., Any], **request: Any) -> str:
    """Make a call, and return what came of it: `done`, `denied`, or the code of another error."""
    try:
        call(**request)
    except ClientError as error:
        code = str(error.response["Error"]["Code"])
        return "denied" if code in DENIED else code
    return "done"
