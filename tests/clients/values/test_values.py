"""The official clients check results of all types that people use, each against the schema that it was listed."""

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.clients.programs import Endpoint, node, python
from tests.clients.values.generated import COUNT, UNSENDABLE
from tests.serving import serving

pytestmark = pytest.mark.clients

TOOLS = "tests.clients.values.generated"


@pytest.fixture(scope="module")
def served() -> Iterator[Endpoint]:
    with serving("--tools", TOOLS) as printed:
        yield Endpoint(url=printed["url"], token=printed.get("token"))


def check(found: dict[str, str]) -> None:
    """Check what a client says of each tool: only a value that no JSON can say may be refused."""
    found = {name: said for name, said in found.items() if not name.startswith("task_")}
    wrong = {name: said for name, said in found.items() if said not in ("fits", "refused")}
    refused = [name for name, said in found.items() if said == "refused"]

    assert wrong == {}
    assert [name for name in refused if not name.startswith(UNSENDABLE)] == []
    assert Counter(found.values())["fits"] >= COUNT
    assert refused


@pytest.mark.parametrize(("environment", "program"), [("client", "python_v1"), ("client_v2", "python_v2")])
def test_the_python_clients_accept_each_result(served: Endpoint, environment: str, program: str) -> None:
    check(python(environment, f"values.{program}", served))


@pytest.mark.parametrize("program", ["typescript_v1", "typescript_v2"])
def test_the_typescript_clients_accept_each_result(served: Endpoint, program: str) -> None:
    check(node(f"values/{program}", served))
