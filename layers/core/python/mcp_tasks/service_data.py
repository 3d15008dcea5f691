"""What botocore has to know of AWS for the calls that are made here: a part of its data, made when a layer is bundled.

Reading all of it, documentation and 400 services included, took a fifth of a cold start.  `python -m
mcp_tasks.service_data` prints the files as JSON, by their paths; `aws.py` has botocore search a folder of them alone,
for the clients of this package.  Those that adopters make see all of botocore's own data.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from botocore.loaders import Loader

OPERATIONS: Final[Mapping[str, Sequence[str]]] = {
    "dynamodb": ("DeleteItem", "GetItem", "PutItem", "Query", "TransactWriteItems", "UpdateItem"),
    "dynamodbstreams": ("DescribeStream", "GetRecords", "GetShardIterator"),
    "events": ("DisableRule", "EnableRule", "PutEvents"),
    "lambda": ("Invoke",),
    "logs": ("FilterLogEvents",),
    # Not HeadBucket, which botocore calls where S3 redirects to another region without naming it: the bucket is in the
    # stack's own, S3 names it, and with endpoints that are not botocore's own, no redirect leads elsewhere.
    "s3": ("GetObject", "PutObject"),
    "stepfunctions": ("DescribeExecution", "ListExecutions", "SendTaskSuccess", "StartExecution", "StopExecution"),
    "sts": ("AssumeRole",),
}
"""The calls that the functions make; the clients on AWS have no others."""

AS_USUAL: Final = frozenset({"events"})
"""Services whose endpoints are named as most are, so that botocore needs no list of their regions.

The endpoint would read it at each cold start, and makes no client of them.
"""

OF_ALL_SERVICES: Final = ("partitions", "sdk-default-configuration", "_retry")
"""Files that botocore may read for any client, and that are small."""


def files() -> dict[str, str]:
    """Return the content of each file by its path, in the layout of botocore's own data."""
    loader, found = Loader(), dict[str, Any]()
    for service, operations in OPERATIONS.items():
        version = loader.determine_latest_version(service, "service-2")
        found[f"{service}/{version}/service-2"] = trimmed(loader.load_service_model(service, "service-2"), operations)
        rules = "endpoint-rule-set-1"
        found[f"{service}/{version}/{rules}"] = loader.load_service_model(service, rules)
    prefixes = {model["metadata"]["endpointPrefix"] for path, model in found.items() if path.endswith("service-2")}
    found["endpoints"] = _endpoints(loader.load_data("endpoints"), prefixes - AS_USUAL)
    found |= {name: loader.load_data(name) for name in OF_ALL_SERVICES}
    return {f"{path}.json": json.dumps(content, separators=(",", ":")) for path, content in found.items()}


def write(folder: Path) -> None:
    """Write the files into a folder."""
    for path, content in files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)


def trimmed(model: Mapping[str, Any], operations: Sequence[str]) -> dict[str, Any]:
    """Return a service's model with these operations, and the shapes that they need, without documentation."""
    kept = {name: model["operations"][name] for name in operations}
    shapes, left = dict[str, Any](), list(_shapes_in(kept))
    while left:
        name = left.pop()
        if name not in shapes:
            shapes[name] = model["shapes"][name]
            left += _shapes_in(shapes[name])
    described: dict[str, Any] = _undocumented({**model, "operations": kept, "shapes": shapes})
    if "clientContextParams" in model:
        # botocore requires what documents them.
        described["clientContextParams"] = model["clientContextParams"]
    return described


def _endpoints(endpoints: Mapping[str, Any], prefixes: set[str]) -> dict[str, Any]:
    partitions = [
        {**each, "services": {name: it for name, it in each["services"].items() if name in prefixes}}
        for each in endpoints["partitions"]
    ]
    return {**endpoints, "partitions": partitions}


def _shapes_in(value: Any) -> Iterator[str]:
    """Yield the names of the shapes that a part of a model refers to."""
    if isinstance(value, dict):
        if isinstance(value.get("shape"), str):
            yield value["shape"]
        for each in value.values():
            yield from _shapes_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from _shapes_in(each)


def _undocumented(value: Any) -> Any:
    """Return a part of a model without its documentation, which is text: a member of that name is a shape."""
    if isinstance(value, dict):
        return {
            name: _undocumented(each)
            for name, each in value.items()
            if name != "documentation" or not isinstance(each, str)
        }
    return [_undocumented(each) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    sys.stdout.write(json.dumps(files()))
