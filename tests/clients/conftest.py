"""Fixtures: one deployed stack for all clients, a caller for each test, and servers that clients get tokens for."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from local.emulator import EXAMPLES
from local.stack import Stack, running_stack
from tests.clients.authorization import (
    Guarded,
    authorization_server,
    guarded_server,
    guarded_stack,
    server_for_callers_alone,
)
from tests.clients.programs import Endpoint, Inspector
from tests.stack.internals import complaints

TOOLS = "tests.clients.sample_tools"


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with running_stack(app=EXAMPLES, tools=TOOLS) as stack:
        yield stack


@pytest.fixture
def endpoint(stack: Stack, request: pytest.FixtureRequest) -> Endpoint:
    """The server's URL, and a token whose subject is unique to this test."""
    return Endpoint(url=stack.url, token=stack.token("acme", request.node.name))


@pytest.fixture
def no_errors_logged(stack: Stack) -> Iterator[None]:
    """Fail a test during which the emulator or a function logged an error."""
    before = set(complaints(stack))
    yield

    assert set(complaints(stack)) - before == set()


@pytest.fixture
def inspector(endpoint: Endpoint) -> Iterator[Inspector]:
    """The Inspector's commands, with a home of their own."""
    # Not `tmp_path`, which can be longer than the path of a socket may be.
    with TemporaryDirectory(prefix="mcp-") as home:
        inspector = Inspector(endpoint, home=Path(home))
        yield inspector

        inspector.leave()


@pytest.fixture
def guarded() -> Iterator[Guarded]:
    """Start an authorization server and a server in one process that accepts its tokens alone."""
    with ExitStack() as started:

        def start(*, registered: str = "any") -> Endpoint:
            issuer = started.enter_context(authorization_server(registered))
            return Endpoint(url=started.enter_context(guarded_server(issuer, TOOLS)))

        yield start


@pytest.fixture(scope="session")
def behind_the_gateway() -> Iterator[Guarded]:
    """The same on the emulator, which renames headers as API Gateway does. Clients get what they register for."""
    with authorization_server("kept") as issuer, guarded_stack(issuer, TOOLS) as told:
        yield told


@pytest.fixture
def for_callers_alone() -> Iterator[Endpoint]:
    """A server, and a token that permits calls, and neither cancellations nor answers."""
    with server_for_callers_alone(TOOLS) as endpoint:
        yield endpoint
