"""Erasure of a tenant: nothing of it is left, wherever the command was interrupted, and others lose nothing."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from local.tenant_data import Erased, NotSuspended
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.named_plans import Grant
from tests.cloud import Cloud, cloud, scan
from tests.contract.process import Crash
from tests.contract.rev_2025_11_25.erased_stage import LARGE, SUSPENSION, AtWrite, Stage, new_task, objects, stored
from tests.contract.store_actions import add, finish
from tests.dynamodb.client import MemoryDynamo
from tests.kit import ADA, BOB, FixedClock

ALIKE = ["acme!", "acme%21", "acme%23ada", "ACME", "acme2", "acm", "acme#ada", "acme/", "!", "acme "]
"""Names of other tenants that begin, end or are quoted like that of the one that is erased, `acme`."""


@pytest.fixture
def aws() -> Iterator[Cloud]:
    """AWS on moto, but for the table, which is in memory: these tests erase a tenant a hundred times."""
    with cloud() as found:
        yield replace(found, dynamodb=MemoryDynamo())


KINDS = {
    *("args", "asks", "changed", "decided", "delivery", "held", "idem", "inbox", "kept", "queue", "quota", "rate"),
    *(
        "released",
        "reply",
        "result",
        "session",
        "step",
        "stream",
        "task",
        "tenant",
        "told",
        "took",
        "using",
        "watching",
    ),
}


def test_no_name_that_looks_like_the_erased_tenants_loses_anything(aws: Cloud, clock: FixedClock) -> None:
    stage = Stage(aws, clock)
    for name in ALIKE:
        stage.fill(Caller(tenant=name, subject="ada"))
    others = stored(aws)
    finish(stage.store, add(stage.store, new_task(), owner_key=BOB.owner_key), owner_key=BOB.owner_key)
    stage.fill(ADA)
    stage.suspend_for_a_while()
    of_acme = stored(aws).keys() - others.keys()
    assert {key.split()[1].partition("#")[0] for key in of_acme if " " in key} == {*KINDS, "plan"}

    erased = stage.erase()

    left = stored(aws)
    assert left.pop(SUSPENSION)["suspended"] == {"BOOL": True}
    assert left == others
    assert (erased.items["task"], erased.objects, erased.failed) == (8, 2, [])


@pytest.mark.parametrize(("later", "step"), [(timedelta(), 1), (timedelta(days=400), 7)], ids=["alive", "expired"])
def test_an_erasure_that_is_interrupted_at_any_of_its_writes_is_finished_by_the_next(
    aws: Cloud, clock: FixedClock, later: timedelta, step: int
) -> None:
    """Items that have expired are those that DynamoDB has not deleted yet."""
    stage = Stage(aws, clock)
    stage.fill(Caller(tenant="acme!", subject="ada"))
    others = stored(aws)
    interrupted = 0
    while True:
        stage.fill(ADA, large=interrupted % 4 == 0)
        if SUSPENSION not in stored(aws):
            stage.suspend_for_a_while()
        clock.advance(later)
        died = dies_at_write(aws, clock, interrupted)
        Stage(aws, clock).erase()

        assert stored(aws).keys() - others.keys() == {SUSPENSION}, f"interrupted at write {interrupted}"
        assert others.items() <= stored(aws).items()
        clock.advance(-later)
        if not died:
            break
        interrupted += step
    assert interrupted > 30


def dies_at_write(aws: Cloud, clock: FixedClock, number: int) -> bool:
    """Erase with a process that dies right before its write of this number; return whether it had so many."""
    fuse = AtWrite(burns_at=number)
    try:
        Stage(aws, clock, fuse).erase()
    except Crash:
        return True
    return False


LATE: list[Callable[[Stage, Task], object]] = [
    lambda stage, task: stage.store.record(ADA.owner_key, task, "late", 1),
    lambda stage, task: stage.store.record("acme#new", task, "late", 1),
    lambda stage, task: stage.store.payloads.put(stage.store.payloads.pack(ADA.owner_key, task.id, LARGE)),
    lambda stage, task: stage.ports.held_waits.begin("acme", 5),
]
"""What a run, or a request, may store that had begun before the erasure and ends during it."""


def test_an_erasure_finds_what_is_written_before_any_of_its_writes(aws: Cloud, clock: FixedClock) -> None:
    Stage(aws, clock).suspend_for_a_while()
    for number in count():
        works = Stage(aws, clock).fill(ADA, large=number % 8 > 3)
        write = LATE[number % len(LATE)]
        fuse = AtWrite(burns_at=number, burn=partial(write, Stage(aws, clock), works))
        Stage(aws, clock, fuse).erase()

        if fuse.calls[number:] in ([], ["!tenants"]):
            # The last write takes the tenant off the list of tenants, after a look that found nothing.
            break
        assert stored(aws).keys() == {SUSPENSION}, f"it was written before write {number} of the erasure"
    assert number > 30


def test_erasure_that_finds_an_object_alone_looks_again_for_items(aws: Cloud, clock: FixedClock) -> None:
    """A run stores an object first, and then the item that points to it."""
    stage, task = Stage(aws, clock), new_task()
    stage.suspend_for_a_while()
    stage.store.payloads.put(stage.store.payloads.pack(ADA.owner_key, task.id, LARGE))
    fuse = AtWrite(burns_at=0, burn=partial(stage.store.record, ADA.owner_key, task, "late", 1))

    Stage(aws, clock, fuse).erase()

    assert stored(aws).keys() == {SUSPENSION}


def test_erasure_deletes_the_partition_of_the_tenant_after_those_of_its_subjects(aws: Cloud, clock: FixedClock) -> None:
    """A tenant whose erasure was interrupted has its counters for as long as it has tasks."""
    stage = Stage(aws, clock)
    finish(stage.store, add(stage.store, new_task(), owner_key=BOB.owner_key), owner_key=BOB.owner_key)
    stage.fill(ADA)
    stage.suspend_for_a_while()
    fuse = AtWrite()

    Stage(aws, clock, fuse).erase()

    of_subjects = [at for at, partition in enumerate(fuse.calls) if partition.startswith("acme#")]
    assert {*fuse.calls[of_subjects[-1] + 1 :]} == {"acme", "!tenants"}


@pytest.fixture
def pages() -> Iterator[Cloud]:
    """AWS on moto, which returns three items, or one object, in a page."""
    with cloud() as found:
        sizes = {"dynamodb.Scan": {"Limit": 3}, "dynamodb.Query": {"Limit": 3}, "s3.ListObjectsV2": {"MaxKeys": 1}}
        clients = {"dynamodb": found.dynamodb, "s3": found.s3}
        for call, size in sizes.items():
            events = clients[call.partition(".")[0]].meta.events
            events.register(f"provide-client-params.{call}", partial(with_size, size), unique_id=call)
        yield found
        for call in sizes:
            clients[call.partition(".")[0]].meta.events.unregister(f"provide-client-params.{call}", unique_id=call)


def with_size(size: dict[str, int], params: dict[str, Any], **_: Any) -> dict[str, Any]:
    return {**params, **size}


def test_a_tenant_of_many_pages_is_erased_and_exported_whole(pages: Cloud, clock: FixedClock, tmp_path: Path) -> None:
    """Most pages of the scan are empty, as they hold what is another tenant's alone."""
    stage = Stage(pages, clock)
    others = [stage.fill(Caller(tenant=name, subject="ada")) for name in ("a", "b", "z")]
    for caller in (BOB, Caller(tenant="acme", subject="cy")):
        finish(stage.store, add(stage.store, new_task(), owner_key=caller.owner_key), owner_key=caller.owner_key)
    stage.fill(ADA)
    stage.suspend_for_a_while()

    exported = stage.data.export(tmp_path)
    stage.erase()

    assert (exported["task"], exported["object"], exported["session"]) == (9, 2, 1)
    items = scan(pages.dynamodb)
    assert [each for each in items if each["PK"]["S"].partition("#")[0] == "acme"] == []
    assert len([each for each in items if each["SK"]["S"].startswith("task#")]) == 7 * len(others)
    assert not [key for key in objects(pages) if key.startswith("acme")]
    assert len(objects(pages)) == 2 * len(others)


def test_a_tenant_is_erased_two_minutes_after_its_last_suspension_and_not_a_moment_earlier(
    aws: Cloud, clock: FixedClock
) -> None:
    stage = Stage(aws, clock)
    stage.fill(ADA)
    stage.plans.write("acme", Grant(suspended=True), replacing=0)
    clock.advance(timedelta(minutes=1))
    stage.plans.write("acme", Grant(suspended=False), replacing=1)
    clock.advance(timedelta(hours=1))
    with pytest.raises(NotSuspended, match="The tenant is served"):
        stage.erase()
    stage.plans.write("acme", Grant(suspended=True), replacing=2)
    clock.advance(timedelta(minutes=2) - timedelta(microseconds=1))
    before = stored(aws)

    with pytest.raises(NotSuspended, match="wait for 1 s"):
        stage.erase()
    assert (stored(aws), stage.executor.stopped) == (before, {})

    clock.advance(timedelta(microseconds=1))
    stage.erase()
    assert stored(aws).keys() == {SUSPENSION}


def test_an_erasure_says_how_much_it_deleted(aws: Cloud, clock: FixedClock) -> None:
    stage = Stage(aws, clock)
    stage.fill(ADA)
    stage.suspend_for_a_while()

    erased = stage.erase()

    assert {kind: erased.items[kind] for kind in ("task", "session", "idem", "decided", "released", "step")} == {
        "task": 7,
        "session": 1,
        "idem": 1,
        "decided": 1,
        "released": 1,
        "step": 2,
    }
    assert (erased.objects, erased.cancelled, len(stage.executor.stopped)) == (2, 6, 6)
    assert replace(stage.erase(), items={}) == Erased(items={}), "a second time there is nothing"  # type: ignore[arg-type]


def test_nobody_else_can_read_an_export_over_files_that_were_there(
    aws: Cloud, clock: FixedClock, tmp_path: Path
) -> None:
    stage = Stage(aws, clock)
    stage.fill(ADA)
    stage.data.export(tmp_path / "export")
    secret = [path for path in (tmp_path / "export").rglob("*") if path.is_file()]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    for path in secret[1:]:
        path.chmod(0o644)
    secret[0].unlink()
    secret[0].symlink_to(elsewhere)

    stage.data.export(tmp_path / "export")

    assert len(secret) == 3
    assert {path.stat(follow_symlinks=False).st_mode & 0o177 for path in secret} == {0o000}
    assert elsewhere.read_text() == ""
