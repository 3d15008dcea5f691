"""What botocore knows of AWS in the functions: enough for the calls that are made there, and no more."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore import xform_name
from botocore.awsrequest import AWSResponse
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from botocore.loaders import Loader
from urllib3 import HTTPResponse

from mcp_tasks.service_data import OPERATIONS, files, trimmed, write
from tests.no_account import NO_ACCOUNT

ROOT = Path(__file__).parents[2]
CORE = ROOT / "layers/core/python/mcp_tasks"
DEPLOYED = [
    path
    for folder in (CORE, ROOT / "functions")
    for path in folder.rglob("*.py")
    if "testing" not in path.relative_to(folder).parts
]
WHOLE = Loader()
LARGEST = 150_000
"""Bytes of a file: the rules by which endpoints of S3 are found."""

REGIONS = ("us-east-1", "eu-west-1", "cn-north-1", "us-gov-west-1", "eusc-de-east-1", "xx-new-1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("service_data")
    write(made)
    return made


def client(service: str, region: str, folder: Path | None = None) -> Any:
    """Make a client that knows what is in a folder, or all that botocore does."""
    return session(folder).create_client(service, region_name=region)


@cache
def session(folder: Path | None) -> Any:
    """Return one session for each folder, since a loader reads a file once."""
    made = botocore.session.Session()
    if folder is not None:
        loader = Loader(extra_search_paths=[str(folder)], include_default_search_paths=False)
        made.register_component("data_loader", loader)
    return made


def named(source: str) -> set[str]:
    """Return the attributes and the texts in a module that could be the name of a client's method."""
    nodes = list(ast.walk(ast.parse(source)))
    called = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return called | {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@cache
def methods(service: str) -> set[str]:
    """Return the names of the methods that all operations of a service have."""
    return {xform_name(name) for name in WHOLE.load_service_model(service, "service-2")["operations"]}


def unknown(source: str) -> set[str]:
    """Return the operations of the services that are used here which a module names, and which are not in the data."""
    known = {xform_name(name) for operations in OPERATIONS.values() for name in operations}
    return (named(source) & set().union(*map(methods, OPERATIONS))) - known


def test_every_operation_that_the_functions_name_is_known_there() -> None:
    assert {path.name: found for path in DEPLOYED if (found := unknown(path.read_text()))} == {}


@pytest.mark.parametrize(
    "line",
    ["client.scan()", "self._client().head_object(Key=1)", 'call("batch_get_item")', "table.client.tag_resource"],
)
def test_an_operation_that_is_not_known_is_found(line: str) -> None:
    assert unknown(line)


def test_no_operation_is_known_that_nothing_names() -> None:
    used = set().union(*(named(path.read_text()) for path in DEPLOYED if path.name != "service_data.py"))

    assert [name for names in OPERATIONS.values() for name in names if xform_name(name) not in used] == []


@pytest.mark.parametrize("service", OPERATIONS)
def test_a_client_has_the_methods_of_its_operations_and_no_others(folder: Path, service: str) -> None:
    made = client(service, "eu-west-1", folder)
    all_of_them = methods(service)

    assert {name for name in all_of_them if hasattr(made, name)} == set(map(xform_name, OPERATIONS[service]))
    with pytest.raises(AttributeError, match=rf"object has no attribute '{min(all_of_them - set(dir(made)))}'"):
        getattr(made, min(all_of_them - set(dir(made))))


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("service", OPERATIONS)
def test_a_service_is_where_it_always_is(folder: Path, service: str, region: str) -> None:
    made, whole = client(service, region, folder), client(service, region)

    assert made.meta.endpoint_url == whole.meta.endpoint_url
    assert made.meta.partition == whole.meta.partition
    assert made._request_signer.signing_name == whole._request_signer.signing_name
    assert made._request_signer.region_name == whole._request_signer.region_name


class Sent(Exception):
    """A request was made, to its address."""


def address(made: Any) -> str:
    """Return where a client would put an object."""

    def stop(request: Any, **_: Any) -> None:
        raise Sent(request.url)

    made.meta.events.register("before-send.s3", stop)
    made._request_signer._credentials = Credentials("a", "b")
    with pytest.raises(Sent) as sent:
        made.put_object(Bucket="payloads", Key="acme/task", Body=b"{}", ContentType="application/json")
    return str(sent.value)


@pytest.mark.parametrize("region", REGIONS)
def test_an_object_is_put_where_it_always_is(folder: Path, region: str) -> None:
    """The rules of S3's endpoints ask for what its model says of the parameters of a client."""
    assert address(client("s3", region, folder)) == address(client("s3", region))


REDIRECT = "<Error><Code>PermanentRedirect</Code>{region}</Error>"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"x-amz-bucket-region": "eu-west-1"}, REDIRECT.format(region="")),
        ({}, REDIRECT.format(region="<Region>eu-west-1</Region>")),
    ],
    ids=["in a header", "in the error"],
)
def test_a_redirect_of_s3_to_another_region_is_an_error_and_asks_for_nothing_but_the_object(
    folder: Path, headers: dict[str, str], body: str
) -> None:
    made, asked = client("s3", "us-west-2", folder), list[tuple[str, str]]()

    def redirect(request: Any, **_: Any) -> AWSResponse:
        asked.append((request.method, request.url))
        raw = HTTPResponse(body=BytesIO(body.encode()), preload_content=False)
        return AWSResponse(request.url, 301, headers, raw)

    made.meta.events.register("before-send.s3", redirect)
    made._request_signer._credentials = Credentials("a", "b")

    with pytest.raises(ClientError, match="PermanentRedirect"):
        made.put_object(Bucket="payloads", Key="acme/task", Body=b"{}")
    assert set(asked) == {("PUT", "https://payloads.s3.us-west-2.amazonaws.com/acme/task")}


@pytest.mark.parametrize("service", OPERATIONS)
def test_an_operation_is_described_as_it_always_is_but_for_its_documentation(service: str) -> None:
    whole = WHOLE.load_service_model(service, "service-2")
    kept = trimmed(whole, OPERATIONS[service])

    def same(ours: Any, theirs: Any) -> Iterator[bool]:
        if isinstance(theirs, dict):
            gone = {name for name in theirs if name not in ours}
            yield gone <= {"documentation"} and ours.keys() <= theirs.keys()
            for name in ours:
                yield from same(ours[name], theirs[name])
        else:
            yield ours == theirs

    assert kept["operations"].keys() == set(OPERATIONS[service])
    for part in ("operations", "shapes"):
        assert all(same(kept[part], {name: whole[part][name] for name in kept[part]}))
    assert kept["metadata"] == whole["metadata"]


def test_members_that_are_named_like_documentation_are_kept() -> None:
    model = {
        "operations": {"Put": {"input": {"shape": "In"}, "documentation": "Puts."}, "Get": {"input": {"shape": "Key"}}},
        "shapes": {
            "In": {"type": "structure", "members": {"documentation": {"shape": "Text", "documentation": "A text."}}},
            "Text": {"type": "string"},
            "Key": {"type": "string"},
        },
        "documentation": "A service.",
    }

    assert trimmed(model, ["Put"]) == {
        "operations": {"Put": {"input": {"shape": "In"}}},
        "shapes": {
            "In": {"type": "structure", "members": {"documentation": {"shape": "Text"}}},
            "Text": {"type": "string"},
        },
    }


def test_all_files_are_small() -> None:
    assert {path: len(content) for path, content in files().items() if len(content) > LARGEST} == {}


def test_only_clients_of_this_package_know_less(folder: Path) -> None:
    code = """
import json, boto3, botocore.session
from mcp_tasks import aws
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.authoring import aws_clients
tenants = Credentials(access_key="a", secret_key="b", session_token="c")
made = [
    aws.client("dynamodb", aws.NETWORK),
    boto3.client("dynamodb"),
    botocore.session.get_session().create_client("dynamodb"),
    aws_clients.client("dynamodb", tenants),
]
print(json.dumps([hasattr(each, "scan") for each in made]))
"""
    environment = {**NO_ACCOUNT, "SERVICE_DATA": str(folder), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert json.loads(done.stdout) == [False, True, True, True]
