"""What the entry point does not import before it is needed, since every cold start would pay for it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mcp_tasks import service_data
from mcp_tasks.features import catalogue
from tests.unit import one_of_each

PACKAGES = ("pydantic", "pydantic_core", "jsonschema", "referencing", "cryptography", "boto3", "jwt", "asyncio")
OURS = tuple(
    f"mcp_tasks.{module}"
    for module in (
        *("authoring.input_requests", "authoring.sampling", "authoring.contents"),
        *("authoring.forms", "authoring.explain", "authoring.titles", "authoring.form_validation"),
        *("features.signature", "features.functions", "features.own_schema"),
        *("adapters.memory", "adapters.memory.ports"),
    )
)
HEAVY = (*PACKAGES, *OURS, "tools", "tests.unit.one_of_each")

# What a cold start of the endpoint costs is these, more than anything: whoever raises one measures it by `make bench`.
MAX_SERVICE_DATA_BYTES = 91_000
MAX_GENERATED = 120
MAX_MODULES = 160

LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover")
REQUESTS = """
import dataclasses, json, os, sys
import botocore.session

opened, generated = [], []
def note(event, values):
    if event == "open" and str(values[0]).endswith((".json", ".json.gz")):
        opened.append(values[0])

sys.addaudithook(note)
dataclasses.exec = lambda *values: generated.append(values[0]) or exec(*values)

import functions.serve_mcp.handler as serve_mcp
from mcp_tasks import aws
import importlib

counts = {
    "service data": {path: os.path.getsize(path) for path in set(opened) - {os.environ["CATALOGUE"]}},
    "generated": len(generated),
    "modules": sum(name.partition(".")[0] == "mcp_tasks" for name in sys.modules),
    "clients": aws.client.cache_info().currsize,
}
from mcp_tasks.wire.revisions import PACKAGES
from tests.protocol.rev_2026_07_28.messages import enveloped

for package in PACKAGES:
    importlib.import_module(f"mcp_tasks.wire.{package}.methods")

answers = [json.loads(serve_mcp.handler(enveloped(method, {}), None)["body"]) for method in json.loads(sys.argv[1])]
heavy = [name for name in json.loads(sys.argv[2]) if name in sys.modules]
print(json.dumps({"answers": answers, "heavy": heavy, "counts": counts}))
"""


class _EmptyTable(BaseHTTPRequestHandler):
    """DynamoDB with a table in which nothing is: what tenants' plans are asked of."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: requests are logged by default."""


@pytest.fixture
def table() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _EmptyTable) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def environment(tmp_path: Path, table: str) -> dict[str, str]:
    file = tmp_path / "catalogue.json"
    file.write_text(catalogue.write(one_of_each.__name__))
    service_data.write(tmp_path / "service_data")
    return {
        "TABLE_NAME": "tasks",
        "PAYLOAD_BUCKET": "payloads",
        "CATALOGUE": str(file),
        "SERVICE_DATA": str(tmp_path / "service_data"),
        "AWS_ENDPOINT_URL": table,
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "PYTHONPATH": ":".join(sys.path),
    }


def cold_start(environment: dict[str, str], *methods: str) -> Any:
    """Return the responses of a new process to these methods, and which heavy modules it imported for them."""
    command = [sys.executable, "-c", REQUESTS, json.dumps(methods), json.dumps(HEAVY)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("module", OURS)
def test_the_modules_that_are_checked_exist(module: str) -> None:
    assert find_spec(module)


def test_the_first_request_imports_neither_tools_nor_their_imports(environment: dict[str, str]) -> None:
    assert cold_start(environment)["heavy"] == []


def test_the_endpoint_reads_what_it_has_to_know_of_dynamodb_and_nothing_of_other_services(
    environment: dict[str, str], tmp_path: Path
) -> None:
    read = cold_start(environment)["counts"]["service data"]

    assert {str(Path(path).relative_to(tmp_path / "service_data").parent.parent) for path in read} <= {"dynamodb", "."}
    assert sum(read.values()) < MAX_SERVICE_DATA_BYTES


def test_the_endpoint_starts_with_few_modules_generated_methods_and_clients(environment: dict[str, str]) -> None:
    counts = cold_start(environment)["counts"]

    assert counts["generated"] <= MAX_GENERATED
    assert counts["modules"] <= MAX_MODULES
    assert counts["clients"] == 1


def test_the_endpoint_lists_without_tools_and_what_they_import(environment: dict[str, str]) -> None:
    found = cold_start(environment, *LISTS)

    tools, prompts, resources, templates, discovered = (answer["result"] for answer in found["answers"])
    assert [tool["name"] for tool in tools["tools"]][:1] == ["order"]
    assert [prompt["name"] for prompt in prompts["prompts"]] == ["review", "hello"]
    assert [resource["name"] for resource in resources["resources"]] == ["now", "approvals"]
    assert [template["name"] for template in templates["resourceTemplates"]] == ["report"]
    assert {"tools", "prompts", "resources", "completions"} <= discovered["capabilities"].keys()
    assert found["heavy"] == []
