"""The emulator's credentials are no secret, so that no web page may send it a request; programs go on as before."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.emulator import Emulator, running_emulator
from tests.foreign_requests import LOCAL_HOSTS, accepted, foreign_requests, local_pages, raw, role_creation, status

HERE = "Host: localhost"
# Each of these is what a page can send without being asked: a form, a link, a picture, or no-cors.
PAGES = (
    ["Origin: https://evil.test", "Sec-Fetch-Site: cross-site", HERE],
    ["Origin: http://localhost:3000", "Sec-Fetch-Site: same-site", HERE],
    ["Origin: null", HERE],
    ["Sec-Fetch-Site: cross-site", HERE],
    ["Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", HERE],
    ["Host: evil.test"],
)


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running_emulator() as emulator:
        yield emulator


@pytest.fixture(scope="module")
def port(emulator: Emulator) -> int:
    return urlsplit(emulator.url).port or 0


def roles(emulator: Emulator) -> list[str]:
    return [role["RoleName"] for role in emulator.client("iam").list_roles()["Roles"]]


def creation(emulator: Emulator, method: str, *headers: str) -> bytes:
    """Return a request that creates a role, signed for the address of the emulator."""
    address = urlsplit(role_creation(emulator.url, method))
    return raw(method, f"/?{address.query}", *headers)


@pytest.mark.parametrize("headers", PAGES, ids=lambda headers: headers[0])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_of_a_page_is_refused_and_makes_no_role(
    emulator: Emulator, port: int, method: str, headers: list[str]
) -> None:
    here = f"Host: 127.0.0.1:{port}"

    assert status(port, creation(emulator, method, *(here if each == HERE else each for each in headers))) == 403
    assert roles(emulator) == []


def test_a_body_of_a_refused_request_is_no_request_of_its_own(emulator: Emulator, port: int) -> None:
    smuggled = creation(emulator, "POST", f"Host: 127.0.0.1:{port}").decode()

    assert status(port, raw("POST", "/", HERE, "Origin: https://evil.test", body=smuggled)) == 403
    assert roles(emulator) == []


def test_a_program_makes_a_role_in_the_same_way() -> None:
    with running_emulator() as emulator:
        port = urlsplit(emulator.url).port or 0
        assert status(port, creation(emulator, "POST", f"Host: 127.0.0.1:{port}")) == 200

        assert roles(emulator) == ["foreign"]


def test_no_page_is_admitted_to_the_emulator(port: int) -> None:
    deployed = ("/_aws/execute-api/", "/_aws/execute-api//x", "/_user_request_", "/restapis/a/_user_request_/mcp")
    for path in ("/", "/_ministack/config", *deployed, "/_aws/lambda-url/a/"):
        assert accepted(port, foreign_requests(path)) == []
        assert accepted(port, local_pages(path)) == []


@pytest.mark.parametrize(
    "path", ["/_aws/execute-api/0123abcd/local/mcp", "/restapis/0123abcd/local/_user_request_/mcp"]
)
def test_a_deployed_api_decides_about_pages_itself_but_for_another_host(port: int, path: str) -> None:
    assert status(port, raw("POST", path, HERE, "Origin: https://a.example")) == 404
    assert status(port, raw("POST", path, "Host: evil.test")) == 403


@pytest.mark.parametrize(
    ("host", "headers"),
    [
        ("iot.us-east-1.evil.test", []),
        # Browsers take every name under localhost for this machine.
        ("iot.us-east-1.localhost", ["Origin: https://evil.test"]),
    ],
)
def test_a_websocket_of_a_page_is_refused(port: int, host: str, headers: list[str]) -> None:
    # The emulator itself refuses all sockets but those of a few services, by their hosts.
    signed = AWSRequest("GET", f"http://{host}/mqtt")
    SigV4QueryAuth(Credentials("local", "local"), "iotdevicegateway", "us-east-1").add_auth(signed)
    key = "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="
    upgrade = ["Upgrade: websocket", "Sec-WebSocket-Version: 13", key, "Sec-WebSocket-Protocol: mqtt"]
    request = raw("GET", f"/mqtt?{urlsplit(signed.url).query}", f"Host: {host}", *headers, *upgrade)

    assert status(port, request.replace(b"Connection: close", b"Connection: Upgrade")) == 403


@pytest.mark.parametrize("host", LOCAL_HOSTS)
def test_a_program_may_name_this_machine_in_each_way(port: int, host: str) -> None:
    assert status(port, raw("GET", "/_ministack/health", f"Host: {host}")) == 200


def test_a_program_with_a_mode_of_fetch_is_no_page(port: int) -> None:
    # Node's fetch sends this one header of the four.
    assert status(port, raw("GET", "/_ministack/health", HERE, "Sec-Fetch-Mode: cors")) == 200
