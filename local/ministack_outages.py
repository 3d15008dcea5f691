"""Outages of AWS: a service that is away refuses all calls but those of the operator of the stage."""

import json
import os
from pathlib import Path

from ministack import app
from ministack.core.router import detect_service, extract_access_key_id

OPERATOR = "local"
REFUSED = {
    "dynamodb": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
    "dynamodbstreams": "com.amazonaws.dynamodb.v20120810#ThrottlingException",
    "states": "ThrottlingException",
}
SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"


def be_away():
    """Refuse the calls of those services that are named in the file which the environment names."""
    dispatch, file = app._dispatch_service_request, Path(os.environ["AWAY"])

    async def refused(method, path, headers, body, query, *rest, **named):
        if file.exists() and extract_access_key_id(headers, query) != OPERATOR:
            service = detect_service(method, path, headers, query)
            if service in file.read_text().split():
                return _refusal(service)
        return await dispatch(method, path, headers, body, query, *rest, **named)

    app._dispatch_service_request = refused


def _refusal(service):
    if service == "s3":
        return 503, {"Content-Type": "application/xml"}, SLOW_DOWN
    body = json.dumps({"__type": REFUSED[service], "message": "Rate exceeded"})
    return 400, {"Content-Type": "application/x-amz-json-1.0"}, body.encode()
