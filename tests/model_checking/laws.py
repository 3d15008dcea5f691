"""What has to hold: at each move, and, once nothing comes any more, in the end."""

from collections.abc import Iterator
from datetime import datetime

from mcp_tasks.tasks.transitions import is_final
from tests.model_checking.moves import moves_of_aws
from tests.model_checking.search import Violated
from tests.model_checking.stage import PLAN, Stage

MOST_MOVES = 200
"""Of AWS, by which everything ends to which nothing comes any more."""


def broken(before: Stage, name: str, after: Stage) -> str | None:
    """Return what a move broke, if anything."""
    return next((f"{what}, by: {name}" for what in _broken(before, after)), None)


def _broken(before: Stage, after: Stage) -> Iterator[str]:
    for task_id, (owner_key, was) in before.store.tasks().items():
        _, task = after.store.tasks()[task_id]
        if is_final(was) and (task.state, task.outcome_kind) != (was.state, was.outcome_kind):
            yield f"a task that was {was.state} is {task.state}"
        if task != was and task.version <= was.version:
            yield "a task changed, and its version did not rise"
        said, steps, responses = before.store.stored(owner_key, task_id)
        says, steps_now, responses_now = after.store.stored(owner_key, task_id)
        if said not in (None, says):
            yield "an outcome was recorded twice"
        if steps.items() - steps_now.items():
            yield "a step was recorded twice"
        if any(responses_now.get(key) != response for key, response in responses.items()):
            yield "an input request was answered twice"
    slots = sum(task.holding.slot is not None for _, task in after.store.tasks().values())
    if slots > PLAN.running_tasks:
        yield f"{slots} tasks run, and {PLAN.running_tasks} may"


def check_end(stage: Stage, ending: set[str]) -> None:
    """Raise `Violated` unless everything ends from here without calls or faults; `ending` are states that do."""
    stage, passed = stage.healthy(), []
    while (key := stage.key) not in ending:
        passed.append(key)
        if len(passed) > MOST_MOVES:
            raise Violated(f"it does not end: {key}")
        move = next(moves_of_aws(stage), None)
        if move is not None:
            move.do(stage, stage.process())
        elif _is_over(stage):
            break
        else:
            stage.clock.advance(_next_time(stage) - stage.clock.now())
    ending.update(passed)


def _next_time(stage: Stage) -> datetime:
    """Return when something happens next by itself."""
    executions = [each.until for each in stage.machine.executions.values() if each.until and each.status == "RUNNING"]
    live = [(owner_key, task.id) for owner_key, task in stage.store.tasks().values() if not is_final(task)]
    checks = [stage.store.check_at(*each) for each in live]
    if not executions and not checks:
        raise Violated(f"something is kept, and nothing goes on: {stage.key}")
    return min([*executions, *checks])


def _is_over(stage: Stage) -> bool:
    tasks = [task for _, task in stage.store.tasks().values()]
    runs = any(each.status == "RUNNING" for each in stage.machine.executions.values())
    return not runs and all(is_final(task) and task.holding.slot is None for task in tasks)
