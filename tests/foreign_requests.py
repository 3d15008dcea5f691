"""Requests that a browser sends for a foreign web page, byte by byte, and the ports of a command to send them to."""

import json
import os
import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

PATH: Final = "/?Action=ListRoles&Version=2010-05-08"

FOREIGN_HOSTS: Final[Sequence[str]] = (
    *("evil.test", "evil.test:4566", "localhost.evil.test", "127.0.0.1.evil.test", "127.0.0.1.evil.test:4566"),
    *("localhost@evil.test", "evil.test:1@localhost", "localhost:1@evil.test", "localhost:.evil.test", "xlocalhost"),
    *("evil.localhost.test", "127.0.0.11", "127.0.0.1.", "0.0.0.0", "10.0.0.1", "[::2]", "[::1].evil.test", "[::1"),
    *("localhost..", "localhost, evil.test", "localhost/evil.test", "localhost#evil.test", "localhost:80:80", ""),
    *("localhost.dev", "localhost.dev.", "localhost.evil", "localhost.dev:4566", "localhost4", "localhost-evil"),
)
LOCAL_HOSTS: Final[Sequence[str]] = (
    *("localhost", "LOCALHOST", "LocalHost:4566", "localhost.", "localhost.:80", "127.0.0.1", "127.0.0.1:1"),
    *("[::1]", "[::1]:4566"),
)
FOREIGN_ORIGINS: Final[Sequence[str]] = (
    *("null", "", "https://evil.test", "http://localhost.evil.test", "http://127.0.0.1.evil.test:4566", "file://"),
    *("http://localhost@evil.test", "http://localhost:80@evil.test", "http://evil.test/http://localhost", "localhost"),
    *("http://localhost.dev", "http://localhost.dev:4566"),
    *("http://localhost/", "http://xlocalhost", "https://evil.test#http://localhost", "chrome-extension://localhost"),
    *("http://localhost, https://evil.test", "http://localhost https://evil.test", "http://[::2]", "http://127.0.0.11"),
)
LOCAL_ORIGINS: Final[Sequence[str]] = (
    "http://localhost:3000",
    "http://127.0.0.1:6274",
    "http://[::1]:1",
    "https://LocalHost",
)

FOREIGN_FETCHES: Final[Sequence[Sequence[str]]] = (
    ["Sec-Fetch-Site: cross-site"],
    ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"],
    ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
    ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"],
    ["Sec-Fetch-Site: elsewhere"],
)
VISIT: Final = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]


def foreign_requests(path: str = PATH) -> Iterator[bytes]:
    """Yield requests that no port of this machine may accept."""
    here = "Host: localhost"
    for method in ("GET", "POST", "OPTIONS"):
        for host in FOREIGN_HOSTS:
            yield raw(method, path, f"Host: {host}")
        for origin in FOREIGN_ORIGINS:
            yield raw(method, path, here, f"Origin: {origin}")
        for headers in FOREIGN_FETCHES:
            yield raw(method, path, here, *headers)
        yield raw(method, path, here, "Origin: http://localhost", "Origin: https://evil.test")
        yield raw(method, path, here, "Host: evil.test")
        yield raw(method, path, "Host: evil.test", here)
        yield raw(method, path)
        yield raw(method, path, version="1.0")
        yield raw(method, path, "Host: evil.test", version="1.0")
        yield raw(method, f"http://evil.test{path}", here)
        yield raw(method, f"http://localhost{path}", "Host: evil.test")
        yield raw(method, f"http://localhost{path}", here)
    yield raw("POST", path, here, *VISIT)


def local_pages(path: str = PATH) -> Iterator[bytes]:
    """Yield requests of web pages of this machine, which a port that no page needs may not accept either."""
    for method in ("GET", "POST", "OPTIONS"):
        for origin in LOCAL_ORIGINS:
            yield raw(method, path, "Host: localhost", f"Origin: {origin}")
        for site in ("same-origin", "same-site", "none"):
            yield raw(method, path, "Host: localhost", f"Sec-Fetch-Site: {site}")
    yield raw("GET", path, "Host: localhost", *VISIT)


def raw(method: str, target: str, *headers: str, version: str = "1.1", body: str = "") -> bytes:
    """Write a request, whose connection ends with its response."""
    length = [f"Content-Length: {len(body)}"] if method == "POST" else []
    return "\r\n".join([f"{method} {target} HTTP/{version}", *headers, *length, "Connection: close", "", body]).encode()


def role_creation(url: str, method: str) -> str:
    """Return an address that creates the role `foreign`, signed with the credentials that every emulator has."""
    service = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [service]})
    wanted = {"Action": "CreateRole", "Version": "2010-05-08", "RoleName": "foreign", "AssumeRolePolicyDocument": trust}
    request = AWSRequest(method, f"{url}/?{urlencode(wanted)}")
    SigV4QueryAuth(Credentials("local", "local"), "iam", "us-east-1").add_auth(request)
    return str(request.url)


def send(port: int, request: bytes) -> bytes:
    """Send a request, and return all of the response."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        received = b""
        with suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                received += piece
    return received


def status(port: int, request: bytes) -> int:
    """Send a request, and return the status of the response; 0 where there is none."""
    found = re.match(rb"HTTP/1\.[01] (\d{3}) ", send(port, request))
    return int(found[1]) if found else 0


def accepted(port: int, requests: Iterator[bytes]) -> list[bytes]:
    """Return those of some requests that a port does not refuse: by 403, or by 400 for what is no HTTP."""
    return [each for each in requests if status(port, each) not in (400, 403)]


def ports_of(process: int) -> set[int]:
    """Return the ports on which a process, and every process that descends from it, listens."""
    sockets = {
        os.readlink(each)
        for one in _with_descendants(process)
        for each in _files(Path(f"/proc/{one}/fd"))
        if os.path.islink(each)
    }
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            _, address, _, state, *rest = line.split()
            if state == "0A" and f"socket:[{rest[5]}]" in sockets:
                found.add(int(address.rpartition(":")[2], 16))
    return found


def _with_descendants(process: int) -> Iterator[int]:
    yield process
    for task in _files(Path(f"/proc/{process}/task")):
        with suppress(FileNotFoundError):
            for child in (task / "children").read_text().split():
                yield from _with_descendants(int(child))


def _files(folder: Path) -> list[Path]:
    with suppress(FileNotFoundError, PermissionError):
        return list(folder.iterdir())
    return []
