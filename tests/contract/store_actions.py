"""Helpers that drive a `TaskStore`: add, move, suspend and finish tasks, and run several writes concurrently."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.errors import TaskError, TooManyTasks
from mcp_tasks.tasks.events import CancelRequested, Event, Finished, InputReceived, InputRequested, Resumed, Suspended
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import InputRequest, InputResponse, Outcome, Returned, Task
from mcp_tasks.tasks.transitions import advance
from tests.kit import ADA, NOON, a_task, plan_of

DONE = Returned(result={"content": [{"type": "text", "text": "hello"}]})
MILLION = "ü" * 1_000_000
COLOUR = InputRequest(key="colour", method="elicitation/create", params={"message": "Which colour?"})
SIZE = InputRequest(key="size", method="elicitation/create", params={"message": "Which size?"})
RED = InputResponse(result={"action": "accept", "content": {"value": "red"}})
BLUE = InputResponse(result={"action": "accept", "content": {"value": "blue"}})
ERROR_RESPONSE = InputResponse(error={"code": -32601, "message": "no such method"})
SAME = IdempotencyKey(name="order 7", fingerprint="f")


def add(store: TaskStore, task: Task, *, owner_key: str = ADA.owner_key, limit: int = 100) -> Task:
    return store.create(owner_key, task, {"name": "Ada"}, key=None, plan=plan_of(limit))


def move(store: TaskStore, before: Task, event: Event, *, owner_key: str = ADA.owner_key, now: datetime = NOON) -> Task:
    after = replace(advance(before, event, now=now), version=before.version + 1)
    match event:
        case Finished(outcome=outcome):
            return store.write(owner_key, before, after, outcome)
        case InputReceived(responses=responses) | Resumed(responses=responses):
            return store.write(owner_key, before, after, responses=responses, plan=plan_of(100))
        case _:
            return store.write(owner_key, before, after)


def suspend(
    store: TaskStore, task: Task, *input_requests: InputRequest, owner_key: str = ADA.owner_key, now: datetime = NOON
) -> Task:
    """Record input requests of the task, and suspend it."""
    asked = move(store, task, InputRequested(input_requests=input_requests or (COLOUR,)), owner_key=owner_key, now=now)
    return move(store, asked, Suspended(task_token="token"), owner_key=owner_key, now=now)


def finish(store: TaskStore, task: Task, outcome: Outcome = DONE, *, owner_key: str = ADA.owner_key) -> Task:
    return move(store, task, Finished(outcome=outcome), owner_key=owner_key)


def room(store: TaskStore, *, limit: int, owner_key: str = ADA.owner_key) -> int:
    """Return how many more tasks the tenant may start, by trying; they end again at once."""
    found = []
    try:
        while True:
            found.append(add(store, a_task(), owner_key=owner_key, limit=limit))
    except TooManyTasks:
        for task in found:
            move(store, task, CancelRequested(status_message="only trying"), owner_key=owner_key)
        return len(found)


def at_once(*actions: Callable[[], object]) -> list[TaskError]:
    """Run the actions concurrently and return the `TaskError`s that they raised."""
    rejections: list[TaskError] = []
    ready = threading.Barrier(len(actions))

    def act(action: Callable[[], object]) -> None:
        ready.wait()
        try:
            action()
        except TaskError as error:
            rejections.append(error)

    threads = [threading.Thread(target=act, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return rejections
