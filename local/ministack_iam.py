"""What `run_ministack` puts right about policies; runs in the emulator's own environment."""

import re
from dataclasses import replace

from ministack.core import iam_actions, iam_evaluator
from ministack.services import dynamodb_streams

VARIABLE = re.compile(r"\$\{([^}]*)\}")


def name_streams():
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


def resolve_variables():
    """Put the tags of the principal where a policy has them as variables, as AWS does; to the emulator they are text.

    A statement with a variable that has no value is about nothing.
    """
    first_match = iam_evaluator._first_match

    def match(context, statements, effect):
        resolved = (_resolved(statement, context.principal_keys) for statement in statements)
        return first_match(context, [each for each in resolved if each is not None], effect)

    iam_evaluator._first_match = match


def _resolved(statement, tags):
    def value(variable):
        return tags[variable[1].lower()]

    try:
        return replace(
            statement,
            resources=[VARIABLE.sub(value, each) for each in statement.resources],
            not_resources=[VARIABLE.sub(value, each) for each in statement.not_resources],
            conditions={
                operator: {key: _texts(value, values) for key, values in keys.items()}
                for operator, keys in statement.conditions.items()
            },
        )
    except KeyError:
        return None


def _texts(value, values):
    return [VARIABLE.sub(value, each) for each in ([values] if isinstance(values, str) else values)]
