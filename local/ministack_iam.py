"""What the emulator leaves out of IAM's evaluation: TLS, streams, the partition keys of a request, policies' variables.

An absent key satisfies `ForAllValues` there as it does on AWS: such a condition says nothing about a Scan.
"""

import json
import re
from dataclasses import replace

from ministack import app
from ministack.core import iam_actions, iam_evaluator
from ministack.services import dynamodb, dynamodb_streams

EQUALS = re.compile(r"(#?\w+)\s*=\s*(:\w+)")
VARIABLE = re.compile(r"\$\{([^}]*)\}")


def name_streams() -> None:
    """Authorize reads of a stream by the stream's ARN, as AWS does; the emulator looks for a table's name only.

    On AWS the permission to read a stream names the stream; the emulator would require one on `*`.
    """
    resource = iam_actions.extract_resource_arn

    def of_stream(service, method, path, headers, body, *rest):
        stream = None
        if service == "dynamodbstreams":
            place = dynamodb_streams._decode_iterator(iam_actions._safe_json_field(body, "ShardIterator")) or {}
            stream = iam_actions._safe_json_field(body, "StreamArn") or place.get("arn")
        return stream or resource(service, method, path, headers, body, *rest)

    iam_actions.extract_resource_arn = of_stream


def name_log_groups() -> None:
    """Authorize what is asked of a log group by its ARN with all streams, as AWS does; the emulator omits them."""
    resource = iam_actions.extract_resource_arn

    def with_streams(service, method, path, headers, body, *rest):
        found = resource(service, method, path, headers, body, *rest)
        tags = "Tag" in headers.get("x-amz-target", "")
        return f"{found}:*" if service == "logs" and found != "*" and not tags else found

    iam_actions.extract_resource_arn = with_streams


def name_rules() -> None:
    """Authorize what is asked of a rule of the default event bus by an ARN without the bus, as AWS does."""
    resource = iam_actions.extract_resource_arn

    def without_bus(*request, **named):
        found = resource(*request, **named)
        return found.replace(":rule/default/", ":rule/") if isinstance(found, str) else found

    iam_actions.extract_resource_arn = without_bus


def name_partitions() -> None:
    """Give each request for items its `dynamodb:LeadingKeys`, as AWS does; the emulator has no such key."""
    context = iam_actions.dynamodb_service_context

    def with_partitions(body):
        keys = sorted(set(_partitions(json.loads(body or b"{}"))))
        return {**context(body), **({"dynamodb:LeadingKeys": keys} if keys else {})}

    iam_actions.dynamodb_service_context = with_partitions


def _partitions(request, table=None):
    """Yield the partition keys that a request names, wherever in it they are."""
    if isinstance(request, list):
        for each in request:
            yield from _partitions(each, table)
    elif isinstance(request, dict):
        table = request.get("TableName", table)
        for name, value in request.items():
            yield from _of_member(name, value, request, table)


def _of_member(name, value, request, table):
    match name, value:
        case "Key" | "Item", dict():
            yield from value.get(_partition_key(table), {}).values()
        case "Keys", list():
            for key in value:
                yield from key.get(_partition_key(table), {}).values()
        case "RequestItems", dict():
            for each, items in value.items():
                yield from _partitions(items, each)
        case "KeyConditionExpression", str():
            yield from _equalled(request, _partition_key(table, request.get("IndexName")))
        case "ExpressionAttributeValues", _:
            return
        case _:
            yield from _partitions(value, table)


def _equalled(query, partition_key):
    names, values = query.get("ExpressionAttributeNames", {}), query.get("ExpressionAttributeValues", {})
    for name, value in EQUALS.findall(query["KeyConditionExpression"]):
        if names.get(name, name) == partition_key:
            yield from values.get(value, {}).values()


def _partition_key(table, index=None):
    found = dynamodb._tables.get(table.rpartition("/")[2]) or {}
    schemas = [found, *found.get("GlobalSecondaryIndexes", ())] if index else [found]
    (schema,) = [each.get("KeySchema", ()) for each in schemas if each.get("IndexName") == index][:1] or [()]
    return next((part["AttributeName"] for part in schema if part["KeyType"] == "HASH"), None)


def grant_tls() -> None:
    """Evaluate policies as if each request came by TLS, as on AWS it does; the emulator has none."""
    pin = app.pin_request_origin
    app.pin_request_origin = lambda address, secure: pin(address, True)


def resolve_variables() -> None:
    """Put the caller's values into `${aws:PrincipalTag/...}` and the like, as AWS does; the emulator leaves the text.

    A statement with a variable that has no value, or one that would be a pattern, is about no request.
    """
    first_match = iam_evaluator._first_match

    def with_values(ctx, statements, effect):
        resolved = (_resolved(each, ctx) for each in statements)
        return first_match(ctx, [each for each in resolved if each is not None], effect)

    iam_evaluator._first_match = with_values


def _resolved(statement, ctx):
    texts = (statement.resources, statement.not_resources, statement.conditions)
    names = VARIABLE.findall(json.dumps(texts))
    if not names:
        return statement
    values = {name: iam_evaluator._resolve_condition_key(name, ctx) for name in names}
    if not all(isinstance(value, str) and not set(value) & set("*?$") for value in values.values()):
        return None
    resources, not_resources, conditions = _replaced(texts, values)
    return replace(statement, resources=resources, not_resources=not_resources, conditions=conditions)


def _replaced(value, values):
    if isinstance(value, str):
        return VARIABLE.sub(lambda found: values[found[1]], value)
    if isinstance(value, dict):
        return {name: _replaced(each, values) for name, each in value.items()}
    return [_replaced(each, values) for each in value]
