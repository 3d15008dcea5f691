"""Where Lambda isolates tenants, every invocation of adopters' code says whose it is, over real sockets."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcp_tasks import Context, aws, bootstrap
from mcp_tasks.adapters.memory.keys import MemoryKeys
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.features import catalogue
from mcp_tasks.run_host.forward import Forward, tenant_of
from mcp_tasks.run_inline.client import CodeFailed, RemoteTool
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.settings import Settings
from tests.kit import FixedClock
from tests.lambda_server import Lambda, lambda_server

ODD = Caller(tenant="a/b ~Ü", subject="s")
TAG = "a=2Fb=20=7E=C3=9C"


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lambda]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    aws.client.cache_clear()
    with lambda_server() as function:
        monkeypatch.setenv("AWS_ENDPOINT_URL", function.url)
        yield function
    aws.client.cache_clear()


def work(folder: Path, isolation: dict[str, str]) -> RemoteTool:
    """Return the work of a tool as the endpoint has it."""
    (folder / "catalogue.json").write_text(catalogue.write("examples"))
    given = {"TABLE_NAME": "t", "PAYLOAD_BUCKET": "p", "CATALOGUE": str(folder / "catalogue.json")}
    settings = Settings.of({**given, "INLINE_FUNCTION": "inline", **isolation})
    tool = bootstrap.features(settings).tools.find("greet")
    assert tool is not None
    assert isinstance(tool.work, RemoteTool)
    return tool.work


CALLS: list[Callable[[RemoteTool], object]] = [
    lambda work: work.run({}, Context(caller=ODD, journal=InlineJournal())),
    lambda work: work.of(ODD).check({}),
    lambda work: work.of(ODD).returned("x"),
]


@pytest.mark.parametrize(("isolation", "said"), [({}, None), ({"TOOL_ISOLATION": "tenant"}, TAG)])
@pytest.mark.parametrize("call", CALLS)
def test_the_endpoint_says_whose_a_call_is(
    function: Lambda, tmp_path: Path, call: Callable[[RemoteTool], object], isolation: dict[str, str], said: str | None
) -> None:
    # What the server answers is no answer of such a function.
    with pytest.raises(CodeFailed):
        call(work(tmp_path, isolation))
    assert function.tenants == [said]


@pytest.mark.parametrize("ticketed", [True, False])
def test_a_run_is_handed_on_for_the_tenant_of_its_ticket(function: Lambda, ticketed: bool) -> None:
    tickets = Tickets(signer=Signer(keys=MemoryKeys(b"secret"), clock=FixedClock()))
    forward = Forward(tickets=tickets, invoke=aws.invoking("tools", aws.TO_RUN, tenant_of))
    given = {"ticket": tickets.for_start_now(ODD.owner_key, "t1")} if ticketed else {"scope": ODD.owner_key}

    assert forward.run({**given, "task": "t1", "attempt": 1}) is True
    assert function.tenants == [TAG]
