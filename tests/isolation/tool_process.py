"""The function that runs tools, in a process as Lambda has it: alone, and invoking its host over the network."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from mcp_tasks.run_host.server import HostServer

LOOP = """
import json, sys
from functions.run_tool import handler as function

def answer(line):
    try:
        return {"returned": function.handler(json.loads(line), None)}
    except Exception as error:
        return {"raised": type(error).__name__}

for line in sys.stdin:
    print("answer", json.dumps(answer(line)), flush=True)
"""
"""What Lambda's runtime does: one event after another, of whatever tenant, in one process."""

ALONE = {
    **{"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "eu-west-1"},
    **{"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_EC2_METADATA_DISABLED": "true"},
    **{"HOST_FUNCTION": "host", "TOOLS_MODULE": "tests.isolation.hostile_tools"},
}


class HostEndpoint(ThreadingHTTPServer):
    """Lambda's API on this machine, with one function: a host of runs; it keeps the run tickets that it gives.

    It answers a message that does what is in `instead` with that, and fails where that is None.
    """

    daemon_threads = True

    def __init__(self, host: HostServer) -> None:
        """Listen on any port."""
        super().__init__(("127.0.0.1", 0), _Invocation)
        self.host = host
        self.run_tickets: list[str] = []
        self.instead: dict[str, Any] = {}


class _Invocation(BaseHTTPRequestHandler):
    server: HostEndpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert self.path == "/2015-03-31/functions/host/invocations", "nothing else is asked of Lambda"
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        instead = self.server.instead
        answer = instead[sent["does"]] if sent["does"] in instead else self.server.host.answer(sent)
        failed = answer is None
        self.server.run_tickets += [answer["ticket"]] if not failed and "ticket" in answer else []
        body = json.dumps({"errorType": "ClientError"} if failed else answer).encode()
        self.send_response(200)
        if failed:
            self.send_header("X-Amz-Function-Error", "Unhandled")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@dataclass(slots=True, kw_only=True)
class ToolProcess:
    """A process that has imported the function, and nothing of the host."""

    process: subprocess.Popen[str]
    endpoint: HostEndpoint
    logged: list[str] = field(default_factory=list)

    def handle(self, event: dict[str, Any]) -> dict[str, Any]:
        """Have the function handle an event, and return what it returned or raised."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps(event), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            if line.startswith("answer "):
                answer: dict[str, Any] = json.loads(line.removeprefix("answer "))
                return answer
            self.logged.append(line)
        raise AssertionError("the process ended")


@contextmanager
def tool_process(host: HostServer) -> Iterator[ToolProcess]:
    """Start the process, and end it."""
    with ExitStack() as stack:
        endpoint = stack.enter_context(HostEndpoint(host))
        Thread(target=endpoint.serve_forever, daemon=True).start()
        stack.callback(endpoint.shutdown)
        address = f"http://127.0.0.1:{endpoint.server_port}"
        variables = {"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path), **ALONE}
        process = subprocess.Popen(
            [sys.executable, "-c", LOOP],
            env={**variables, "AWS_ENDPOINT_URL_LAMBDA": address},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.enter_context(process)
        stack.callback(process.kill)
        yield ToolProcess(process=process, endpoint=endpoint)
