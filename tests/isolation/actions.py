"""The actions of IAM, of the operations of AWS's APIs as botocore describes them."""

from functools import cache
from typing import Final

import botocore.session

PREFIXES: Final = {
    "dynamodb": ("dynamodb", "dynamodbstreams"),
    "events": ("events",),
    "iam": ("iam",),
    "kms": ("kms",),
    "lambda": ("lambda",),
    "logs": ("logs",),
    "s3": ("s3",),
    "secretsmanager": ("secretsmanager",),
    "sqs": ("sqs",),
    "ssm": ("ssm",),
    "states": ("stepfunctions",),
    "sts": ("sts",),
    "xray": ("xray",),
}
"""The services of botocore whose actions have a prefix."""

PARTIQL: Final = frozenset({f"PartiQL{verb}" for verb in ("Select", "Insert", "Update", "Delete")})
WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"})
RENAMED: Final[dict[str, frozenset[str]]] = {
    "dynamodb:TransactGetItems": frozenset({"GetItem"}),
    "dynamodb:TransactWriteItems": WRITES,
    **{f"dynamodb:{name}": PARTIQL for name in ("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction")},
    "lambda:Invoke": frozenset({"InvokeFunction"}),
    "lambda:InvokeWithResponseStream": frozenset({"InvokeFunction"}),
    "s3:CopyObject": frozenset({"GetObject", "PutObject"}),
    "s3:CreateMultipartUpload": frozenset({"PutObject"}),
    "s3:UploadPart": frozenset({"PutObject"}),
    "s3:UploadPartCopy": frozenset({"GetObject", "PutObject"}),
    "s3:CompleteMultipartUpload": frozenset({"PutObject"}),
    "s3:HeadObject": frozenset({"GetObject", "GetObjectVersion"}),
    "s3:SelectObjectContent": frozenset({"GetObject"}),
    "s3:DeleteObjects": frozenset({"DeleteObject", "DeleteObjectVersion"}),
    **{f"s3:{name}": frozenset({"ListBucket"}) for name in ("HeadBucket", "ListObjects", "ListObjectsV2")},
    "s3:ListObjectVersions": frozenset({"ListBucketVersions"}),
    "s3:ListBuckets": frozenset({"ListAllMyBuckets"}),
}
"""Where IAM's names are not those of the operations.

The configuration of buckets has a few more such names: those of the operations do as well, as nobody may do any of it.
"""

LOG_DELIVERY: Final = frozenset({f"logs:{verb}LogDelivery" for verb in ("Create", "Get", "Update", "Delete")})
SESSIONS: Final = frozenset({"sts:TagSession", "sts:SetSourceIdentity"})
WITHOUT_OPERATION: Final = frozenset({"iam:PassRole", "logs:ListLogDeliveries", *LOG_DELIVERY, *SESSIONS})
KEYED: Final = frozenset({"Key", "Item", "RequestItems", "KeyConditionExpression", "TransactItems"})
"""The parameters with which DynamoDB is told the partition keys that it puts into the context of a request."""


@cache
def actions(prefix: str) -> frozenset[str]:
    """Return the actions of a prefix."""
    named = {action for operation in _operations(prefix) for action in _actions(prefix, operation)}
    return frozenset(named | {action for action in WITHOUT_OPERATION if action.startswith(f"{prefix}:")})


@cache
def keyed_actions() -> frozenset[str]:
    """Return the actions on single items of a table, of which a policy can require partition keys."""
    found = {
        action
        for operation, parameters in _operations("dynamodb").items()
        for action in _actions("dynamodb", operation)
        if parameters & KEYED
    }
    return frozenset(found | {f"dynamodb:{name}" for name in PARTIQL})


def _actions(prefix: str, operation: str) -> set[str]:
    return {f"{prefix}:{name}" for name in RENAMED.get(f"{prefix}:{operation}", {operation})}


@cache
def _operations(prefix: str) -> dict[str, frozenset[str]]:
    """Return the parameters of each operation."""
    session = botocore.session.get_session()
    models = [session.get_service_model(service) for service in PREFIXES[prefix]]
    return {
        name: frozenset(shape.members if (shape := model.operation_model(name).input_shape) else ())
        for model in models
        for name in model.operation_names
    }
