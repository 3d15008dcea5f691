"""The deployed server in this process, behind its authorizer, with what its owner has there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from functions.authorize.handler import handler as authorize
from functions.authorize.handler import verifier
from mcp_tasks.features import catalogue
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.testing.harness import package
from mcp_tasks.testing.state_machines.template import Template
from tests.attacks.aws_calls import READS
from tests.attacks.identities import OWNER
from tests.attacks.kept import Kept
from tests.attacks.ways import Case, Objects, Seen, Way, cases, invented, seen
from tests.authorizer import request
from tests.harness.harness import Harness, deployed
from tests.harness.tasks import DeployedTasks
from tests.key_server import key_server
from tests.tokens import AUDIENCE, ISSUER, KEY, token

TOOLS = "tests.attacks.sample_tools"
COUNTERS = "quota#"
VARIABLES = {"TOOLS_MODULE": TOOLS, "PAGE_SIZE": "2", "ALLOWED_ORIGINS": "https://app.test"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """A client that names what the owner has; whatever its requests change is undone, so that all meet the same."""

    client: Any
    caller: Caller
    objects: Objects
    before: Kept
    touched: set[tuple[str, ...]] = field(default_factory=set)
    """The keys of what was changed, but for the caller's own items and its tenant's counters."""

    def named(self, case: Case) -> Seen:
        """Have the client name an object, and return what became of it."""
        return self._seen(case.way, self.objects[case.way.kind][case.state])

    def never(self, way: Way) -> Seen:
        """Have the client name what never existed, and return what became of it."""
        return self._seen(way, invented(way.kind, next(iter(self.objects[way.kind].values()))))

    def _seen(self, way: Way, named: str) -> Seen:
        found = seen(way, self.client, named)
        if any(each.operation not in READS for each in found.calls):
            self.touched.update(key for key in self.before.put_back() if not self._may_change(*key))
        return found

    def _may_change(self, partition: str, kind: str) -> bool:
        own = self.caller.owner_key
        return partition == own or (partition == tenant_of(own) and kind.startswith(COUNTERS))

    def offences(self, way: Way, found: Seen) -> list[str]:
        """Return what a stranger's request should not have done: read or written what is the owner's, or anything."""
        reaches = [call for call in found.calls for place in places(OWNER) if place in call.parameters]
        writes = [] if way.writes else [call for call in found.calls if call.operation not in READS]
        told = [value for each in self.objects.values() for value in each.values() if value in found.body]
        return [*map(str, reaches), *map(str, writes), *told]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackedServer:
    """The server, as clients of one revision reach it, with what its owner has there."""

    harness: Harness
    revision: str
    owner: Any
    objects: Objects

    @property
    def cases(self) -> list[Case]:
        """All requests that clients of this revision try."""
        return cases_of(self.revision)

    def visitor(self, caller: Caller) -> Visitor:
        """Return a client of a caller who is admitted by a token, and made a few requests already."""
        client = connected(self.harness, self.revision, caller)
        client.warm_up()
        return self._visitor(client, caller)

    def owned(self) -> Visitor:
        """Return the owner's client."""
        return self._visitor(self.owner, OWNER)

    def _visitor(self, client: Any, caller: Caller) -> Visitor:
        return Visitor(client=client, caller=caller, objects=self.objects, before=Kept.of(self.harness.table))


def cases_of(revision: str) -> list[Case]:
    """Return all requests that clients of a revision try."""
    module = _module(revision)
    return cases(module.WAYS, module.STATES)


def places(caller: Caller) -> list[str]:
    """Return how calls of AWS name what is a caller's alone: items by their partition, payloads by their folder."""
    return [f"'{caller.owner_key}'", f"'{caller.owner_key}/"]


def _module(revision: str) -> Any:
    """Return the module of a revision, found by name so that the revision can be removed with it."""
    return import_module(f"tests.attacks.{package(revision)}.client")


def connected(harness: Harness, revision: str, caller: Caller) -> Any:
    """Return a client of a caller who is admitted by a token."""
    tasks = DeployedTasks(harness=harness, revision=revision)
    return _module(revision).Client(tasks.gateway(admitted(caller)).send)


def admitted(caller: Caller) -> Caller:
    """Return the caller whom the authorizer makes of a token: the endpoint knows nothing else of him."""
    good = token(tenant=caller.tenant, sub=caller.subject)
    context = authorize(request(f"Bearer {good}"), None)["context"]
    return Caller(tenant=context["tenant"], subject=context["subject"], scopes=frozenset(context["scopes"].split()))


@contextmanager
def attacked(made: Template, folder: Path, revision: str) -> Iterator[AttackedServer]:
    """Deploy the server in this process, and have its owner do something on it."""
    listed = folder / "catalogue.json"
    listed.write_text(catalogue.write(TOOLS))
    with authorizer(), deployed(made, {**VARIABLES, "CATALOGUE": str(listed)}) as harness:
        owner = connected(harness, revision, OWNER)
        objects = owner.objects(DeployedTasks(harness=harness, revision=revision))
        assert {kind: tuple(found) for kind, found in objects.items()} == _module(revision).STATES
        yield AttackedServer(harness=harness, revision=revision, owner=owner, objects=objects)


@contextmanager
def authorizer() -> Iterator[None]:
    """Have the authorizer accept the tokens of `tests.tokens`."""
    with key_server() as keys:
        keys.publish(one=KEY.public_key())
        settings = {"ISSUER": ISSUER, "AUDIENCE": AUDIENCE, "JWKS_URL": keys.url}
        with patch.dict(os.environ, settings):
            verifier.cache_clear()
            # Made now, since the stage's own environment comes next.
            verifier()
            yield
        verifier.cache_clear()
