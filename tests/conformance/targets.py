"""The two servers that the runner tests: one process, and the deployed stack on this machine's emulator."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from local.emulator import EXAMPLES
from local.proxy import Target, running_proxy
from local.stack import running_stack
from tests.revisions import REVISIONS, module_of
from tests.serving import serving

TOOLS = "tests.conformance"


@contextmanager
def served() -> Iterator[str]:
    with serving("--tools", TOOLS) as printed:
        _warm_up(printed["url"])
        yield printed["url"]


@contextmanager
def deployed() -> Iterator[str]:
    with running_stack(app=EXAMPLES, tools=TOOLS) as stack:
        target = Target(url=stack.url, token=stack.token("acme", "ada"))
        with running_proxy(target) as url:
            _warm_up(url)
            # The runner sends the origin of the URL that it was given, and that of a stranger, who is to be refused.
            yield url.replace("127.0.0.1", "localhost")


def server(url: str) -> str:
    """Return the name and the version that the server gives itself."""
    info = module_of(REVISIONS[0], "over_http").server_info(url)
    return f"{info['name']} {info['version']}"


def _warm_up(url: str) -> None:
    """Call every function once: a cold start takes a second, and the runner waits half of that for an event."""
    for revision in REVISIONS:
        somebody = module_of(revision, "over_http").client(url)
        somebody.poll = lambda interval: time.sleep(interval.total_seconds())
        somebody.start_task("external_job", {"job_id": "warm-up"}).wait()


TARGETS: Mapping[str, Callable[[], AbstractContextManager[str]]] = {"make serve": served, "deployed": deployed}
