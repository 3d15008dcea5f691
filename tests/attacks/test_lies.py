"""Where a check that keeps callers apart lies, the attacks find it: otherwise they would prove nothing."""

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import unquote

import pytest

from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.engine import approvals, entitlement
from mcp_tasks.security import encryption, signing, tenancy
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import Task
from tests.attacks.identities import OWNER, STRANGERS
from tests.attacks.server import AttackedServer
from tests.attacks.test_foreign_objects import offences, tried
from tests.attacks.ways import Case

BOB: Final = STRANGERS["subject: another subject"]
KEY: Final = OWNER.owner_key
OWN_KEY: Final = tenancy._owner_key
CREATE, READ = DynamoTaskStore.create, DynamoTaskStore.read
AUDIENCES = entitlement.audiences_of
SIGN, CONTEXT = signing._sign, encryption._context


OWNERS: Final = (OWNER.tenant, OWNER.subject)


def alike(written: Callable[[str], str]) -> Callable[[str, str], bool]:
    """Say that a caller is the owner if their names are the same when both are written like this."""
    return lambda *names: [*map(written, names)] == [*map(written, OWNERS)]


def normal(form: Any) -> Callable[[str], str]:
    return lambda text: unicodedata.normalize(form, text)


def without(*categories: str) -> Callable[[str], str]:
    """Leave out the characters of some of Unicode's categories."""
    return lambda text: "".join(
        each for each in unicodedata.normalize("NFD", text) if unicodedata.category(each) not in categories
    )


CONFUSED: Final[dict[str, Callable[[str, str], bool]]] = {
    "small letters and capitals": alike(str.casefold),
    "composed letters and others": alike(normal("NFC")),
    "wide characters and others": alike(normal("NFKC")),
    "accents and none": alike(without("Mn")),
    "what is not shown and nothing": alike(without("Cf")),
    "control characters and nothing": alike(without("Cc")),
    "white space around and none": alike(str.strip),
    "quoted and not": alike(unquote),
    "quoted twice and not": alike(lambda text: unquote(unquote(text))),
    "what follows a NUL and nothing": alike(lambda text: text.partition("\0")[0]),
    "what follows the separator and nothing": alike(lambda text: text.partition("#")[0]),
    "separators of other kinds": alike(lambda text: text.translate(dict.fromkeys(map(ord, ":/\0"), "#"))),
    "names that are joined as they are": lambda *names: "#".join(names) == "#".join(OWNERS),
    "names in any order": lambda *names: set(names) == set(OWNERS),
    "beginnings and the whole": lambda *names: all(map(str.startswith, OWNERS, names)),
    "the whole and what is longer": lambda *names: all(map(str.startswith, names, OWNERS)),
    "subjects of any tenant": lambda tenant, subject: subject == OWNER.subject,
    "tenants of any subject": lambda tenant, subject: tenant == OWNER.tenant,
    "a pattern and what it means": lambda *names: "*" in names,
    "all callers": lambda *names: True,
}
"""Who could be taken for the owner, by what is not told apart."""


@contextmanager
def confused(are_one: Callable[[str, str], bool]) -> Iterator[None]:
    """Have the owner key be the owner's for others as well."""

    def key(tenant: str, subject: str) -> str:
        return KEY if are_one(tenant, subject) else OWN_KEY(tenant, subject)

    with patch.object(tenancy, "_owner_key", key):
        yield


@contextmanager
def signed_by_anybody() -> Iterator[None]:
    """Have what clients carry be valid for the owner, whoever sends it."""
    with (
        patch.object(signing, "_sign", lambda key, payload, purpose, _: SIGN(key, payload, purpose, KEY)),
        patch.object(encryption, "_context", lambda purpose, _, label: CONTEXT(purpose, KEY, label)),
    ):
        yield


@contextmanager
def reading(read: Callable[[DynamoTaskStore, str, str], Task]) -> Iterator[None]:
    with patch.object(DynamoTaskStore, "read", read):
        yield


def read_the_owners(store: DynamoTaskStore, owner_key: str, task_id: str) -> Task:
    """Find the owner's task as well, whoever asks."""
    try:
        return READ(store, owner_key, task_id)
    except TaskNotFound:
        return READ(store, KEY, task_id)


def read_before_checking(store: DynamoTaskStore, owner_key: str, task_id: str) -> Task:
    """Find a task by its id, and then see whose it is: what is told is right, and what it takes is not."""
    try:
        READ(store, KEY, task_id)
    except TaskNotFound:
        return READ(store, owner_key, task_id)
    READ(store, owner_key, task_id)
    return READ(store, owner_key, task_id)


def found(server: AttackedServer, cases: list[Case]) -> set[str]:
    """Return the cases in which a colleague is answered otherwise than for what never existed."""
    return {case.name for case, seen, never in tried(server.visitor(BOB), cases) if seen.reply != never.reply}


@pytest.mark.parametrize("what", CONFUSED)
def test_callers_that_are_not_told_apart_are_found(server: AttackedServer, what: str) -> None:
    are_one = CONFUSED[what]
    name, stranger = next(
        (name, caller) for name, caller in STRANGERS.items() if are_one(caller.tenant, caller.subject)
    )
    with confused(are_one):
        wrong = offences(server.visitor(stranger), server.cases[:1])

    assert wrong.keys() == {server.cases[0].name}, name


def test_whoever_passes_for_the_owner_is_found_in_each_case(server: AttackedServer) -> None:
    # An event id is worth nothing in another session of its owner either; an approval is asked of a subject by name.
    cases = [case for case in server.cases if case.way.kind not in ("event", "approval")]
    with confused(lambda *names: True):
        assert found(server, cases) == {case.name for case in cases if case.concerns_its_owner}


def test_a_task_of_anybodys_is_found(server: AttackedServer) -> None:
    # The outcomes of those that have ended are read by owner once more.
    live = ("working", "input_required", "queued", "cancelled", "expired", "deleted")
    cases = [case for case in server.cases if case.way.name == "tasks/get" and case.state in live]
    with reading(read_the_owners):
        assert found(server, cases) == {case.name for case in cases if case.concerns_its_owner}


def test_whoever_is_asked_what_others_are_asked_is_found(server: AttackedServer) -> None:
    cases = [case for case in server.cases if case.way.kind == "approval"]
    with patch.object(approvals, "audiences_of", lambda caller: AUDIENCES(OWNER)):
        assert found(server, cases) == {case.name for case in cases}


def test_what_was_signed_for_another_caller_is_found(server: AttackedServer) -> None:
    # By what is signed alone: sessions and tasks are looked for by owner besides.
    cases = [case for case in server.cases if case.way.kind.startswith(("cursor", "request state"))]
    with signed_by_anybody():
        assert found(server, cases) == {case.name for case in cases}


def test_a_task_that_is_started_for_somebody_else_is_found(server: AttackedServer) -> None:
    def create_the_owners(store: DynamoTaskStore, _: str, *args: Any, **more: Any) -> Task:
        return CREATE(store, KEY, *args, **more)

    cases, visitor = [case for case in server.cases if case.way.starts], server.visitor(BOB)
    with patch.object(DynamoTaskStore, "create", create_the_owners):
        wrong = offences(visitor, cases)

    assert wrong.keys() == {case.name for case in cases}
    assert {partition for partition, _ in visitor.touched} == {KEY}


def test_a_read_more_is_found_where_the_answer_is_right(server: AttackedServer) -> None:
    with reading(read_before_checking):
        wrong = offences(server.visitor(BOB), server.cases[:1])
        assert found(server, server.cases[:1]) == set()

    assert wrong.keys() == {server.cases[0].name}
