"""`make smoke`: says of a deployed stage whether it refuses strangers, serves each revision, and does a task's work.

The stage `local` is that of `make stack`; any other is on AWS, with the credentials that are set.  The token of a
subject is read from the environment, where no list of processes shows it.
"""

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from local.emulator import aws_environment
from local.http_client import HttpClient
from local.ports import port_number
from local.stage import NO_TOKEN, UNREADABLE, given_token, reason
from mcp_tasks.authoring.errors import McpError
from mcp_tasks.testing.client import Client, NoResult, NotATask
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.revisions import PACKAGES

REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)
METADATA = re.compile(r'resource_metadata="([^"]+)"')


class Failed(Exception):
    """A check found what should not be; the text says what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What is checked: where it is, who calls, and the tool that is run, if one is."""

    url: str
    token: str
    queues: Mapping[str, str]
    """The URL of each queue of dead letters, by its logical id."""
    tool: str | None
    arguments: Mapping[str, Any]

    def checks(self) -> Mapping[str, Callable[[], str]]:
        """Return what to check, by the words that say what should hold; a check returns what it found, or raises."""
        served = {f"{_version(each)}: lists its tools": self._lists(each) for each in PACKAGES}
        ran = {f"{_version(each)}: {self.tool} runs": self._runs(each) for each in PACKAGES if self.tool}
        return {
            "who has no token is refused, and told where to get one": self.refuses,
            **served,
            **ran,
            "no dead letters wait": self.no_dead_letters,
        }

    def refuses(self) -> str:
        """Check what a client without a token finds."""
        stranger = HttpClient(self.url)
        reply = stranger.send(HttpRequest(method="POST", headers={"content-type": "application/json"}, body=b"{}"))
        challenge = METADATA.search(reply.headers.get("www-authenticate", ""))
        if reply.status != HTTPStatus.UNAUTHORIZED or challenge is None:
            raise Failed(f"it is answered with {reply.status}, and {dict(reply.headers)}")
        found = stranger.get(urlsplit(challenge[1]).path)
        if found.status != HTTPStatus.OK:
            raise Failed(f"{challenge[1]} is answered with {found.status}")
        return ", ".join(json.loads(found.body)["authorization_servers"])

    def no_dead_letters(self) -> str:
        """Check that nothing was given up."""
        sqs = boto3.client("sqs")
        counts = {name: _waiting(sqs, queue) for name, queue in self.queues.items()}
        if found := {name: count for name, count in counts.items() if count}:
            raise Failed(", ".join(f"{count} in {name}" for name, count in found.items()))
        return f"{len(counts)} queues"

    def _lists(self, revision: str) -> Callable[[], str]:
        def check() -> str:
            client, page = self._client(revision), {"nextCursor": None}
            tools: list[str] = []
            while "nextCursor" in page:
                page = client.request("tools/list", {"cursor": page["nextCursor"]} if tools else {})
                tools += [tool["name"] for tool in page["tools"]]
            if self.tool and self.tool not in tools:
                raise Failed(f"there is no {self.tool}, only {', '.join(tools)}")
            return f"{len(tools)} tools"

        return check

    def _runs(self, revision: str) -> Callable[[], str]:
        def check() -> str:
            client, began = self._client(revision), time.monotonic()
            try:
                how, result = "as a task", client.start_task(str(self.tool), self.arguments).wait()
            except NotATask as error:
                # It returned at once, or may not be a task.
                how, result = "inline", error.result or client.call_tool(str(self.tool), self.arguments)
            if result.is_error:
                raise Failed(f"the tool failed: {result.text}")
            return f"{how}, {time.monotonic() - began:.1f} s"

        return check

    def _client(self, revision: str) -> Client:
        module = import_module(f"mcp_tasks.testing.{revision}")
        client: Client = module.Client(
            self._send,
            capabilities=module.TASKS,
            sleep=lambda duration: time.sleep(duration.total_seconds()),
        )
        return client

    def _send(self, request: HttpRequest) -> HttpReply:
        """Send a request with the token; what is not of the protocol, as of the authorizer, fails the check."""
        reply = HttpClient(self.url, self.token).send(request)
        if reply.status in REFUSED or reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise Failed(f"it is answered with {reply.status}: {reply.body}")
        return reply


def _version(package: str) -> str:
    return package.removeprefix("rev_").replace("_", "-")


def _waiting(sqs: Any, queue: str) -> int:
    name = "ApproximateNumberOfMessages"
    return int(sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=[name])["Attributes"][name])


def report(checks: Mapping[str, Callable[[], str]]) -> int:
    """Make each check, print what it found, and return the exit status: 1 if one failed."""
    failed = 0
    for name, check in checks.items():
        try:
            print(f"  ok      {name} ({check()})", flush=True)
        except Exception as error:  # noqa: BLE001  # what is there may be no MCP server, and answer anything
            failed += 1
            print(f"  FAILED  {name}: {_why(error)}", flush=True)
    return 1 if failed else 0


def _why(error: Exception) -> str:
    if isinstance(error, Failed | McpError | NoResult | OSError | BotoCoreError | ClientError):
        return str(error)
    return f"this is not how an MCP server answers ({type(error).__name__}: {error})"


def of_stack(stack: str) -> tuple[str, Mapping[str, str]]:
    """Return a stack's URL and its queues, by logical id."""
    cloudformation = boto3.client("cloudformation")
    (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    urls = [each["OutputValue"] for each in found.get("Outputs", []) if each["OutputKey"] == "Url"]
    if len(urls) != 1:
        raise Failed(f"The stack {stack} has no output Url: name one by URL=https://...")
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    resources = [each for page in pages for each in page["StackResourceSummaries"]]
    queues = [each for each in resources if each["ResourceType"] == "AWS::SQS::Queue"]
    return urls[0], {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in queues}


def main(arguments: list[str] | None = None) -> int:
    """Check what the arguments name, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make smoke")
    parser.add_argument("--stage", default="local")
    parser.add_argument("--stack", help="the name of the stack, if it is not made of the stage's")
    parser.add_argument("--port", type=port_number, default=4566)
    parser.add_argument("--url", help="where the server is, if the stack has another address than its own")
    parser.add_argument("--tool", help="a tool to run, once by each revision")
    parser.add_argument("--arguments", type=json.loads, default={}, help="of the tool, as JSON")
    given = parser.parse_args(arguments)
    if given.stage == "local":
        os.environ |= aws_environment(f"http://127.0.0.1:{given.port}", Path.home())
    token = given_token() or sys.exit(f"{NO_TOKEN}: TOKEN=... make smoke. For the stage local, make token.")
    try:
        url, queues = of_stack(given.stack or f"McpTaskServer-{given.stage}")
    except (Failed, *UNREADABLE) as error:
        sys.exit(f"The stack cannot be read: {reason(error)}")
    stage = Stage(url=given.url or url, token=token, queues=queues, tool=given.tool, arguments=given.arguments)
    print(stage.url, flush=True)
    return report(stage.checks())


if __name__ == "__main__":
    sys.exit(main())
