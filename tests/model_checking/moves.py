"""What may happen to a stage."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.tasks.errors import IllegalTransition
from mcp_tasks.tasks.model import InputResponse, State
from tests.contract.process import Crash
from tests.contract.step_functions import Place
from tests.kit import ADA, BOB
from tests.model_checking.stage import A_WHILE, EXECUTOR, Change, Running, Stage, tools

CALLERS: Final = (ADA, BOB)
ANSWER: Final = InputResponse(result={"action": "accept", "content": {"name": "Ada"}})

Do = Callable[[Stage, Running], object]


class Move(NamedTuple):
    """What may happen: its name, and how it is done by a process."""

    name: str
    do: Do


def successors(stage: Stage) -> Iterator[tuple[str, Stage]]:
    """Yield each state that may come next, with the name of the move."""
    for move in moves(stage):
        after = stage.copy()
        process = after.process()
        move.do(after, process)
        yield move.name, after
        if stage.faults:
            yield from _with_faults(stage, move, process.wrote)
    if stage.faults:
        for move in mishaps(stage):
            after = _less_lucky(stage)
            move.do(after, after.process())
            yield move.name, after


def moves(stage: Stage) -> Iterator[Move]:
    """Yield what may happen where nothing goes wrong."""
    if stage.new_tasks:
        yield Move("call", _call)
    if stage.deploys:
        yield Move("deploy", _deploy)
    if stage.whiles:
        yield Move("time passes", let_time_pass)
    for task_id, (owner_key, task) in stage.store.tasks().items():
        name = _named(stage, task_id)
        if task.state is State.INPUT_REQUIRED:
            yield Move(f"answer {name}", _answer(owner_key, task_id))
        yield Move(f"cancel {name}", _cancel(owner_key, task_id))
    yield from moves_of_aws(stage)


def moves_of_aws(stage: Stage) -> Iterator[Move]:
    """Yield what happens though nobody calls."""
    for change in _next_records(stage):
        yield Move(f"deliver {_named(stage, change.task_id)}", _deliver(change))
    for name in _due(stage):
        yield Move(f"{stage.machine.executions[name].place.value} {_named(stage, name)}", _step(name))
    if [*stage.store.due(limit=1)]:
        yield Move("sweep", _sweep)


def mishaps(stage: Stage) -> Iterator[Move]:
    """Yield what goes wrong by itself."""
    for task_id, change in stage.delivered.items():
        yield Move(f"deliver {_named(stage, task_id)} again", _deliver_again(change))
    for name, execution in stage.machine.executions.items():
        yield Move(f"run {_named(stage, name)} again", _run_again(name))
        if execution.status == "RUNNING":
            yield Move(f"stop {_named(stage, name)} by hand", _stop(name))
    for change in _next_records(stage):
        yield Move(f"lose a record of {_named(stage, change.task_id)}", _lose(change))


def let_time_pass(stage: Stage, process: Running) -> None:
    """Move the clock."""
    stage.whiles -= 1
    stage.clock.advance(A_WHILE)


def _due(stage: Stage) -> list[str]:
    """Return the executions that go on now."""
    now = stage.clock.now()
    running = [(name, each) for name, each in stage.machine.executions.items() if each.status == "RUNNING"]
    return [name for name, each in running if each.place is not Place.WAIT or (each.until and each.until <= now)]


def _with_faults(stage: Stage, move: Move, wrote: list[str]) -> Iterator[tuple[str, Stage]]:
    for place, operation in enumerate(wrote, start=1):
        after = _less_lucky(stage)
        with suppress(Crash):
            move.do(after, after.process(lives_for=place))
        yield f"{move.name}, dies after {operation}", after
    if any(operation in EXECUTOR for operation in wrote):
        after = _less_lucky(stage)
        after.machine.down = True
        with suppress(ExecutorUnavailable, RunInterrupted):
            move.do(after, after.process())
        after.machine.down = False
        yield f"{move.name}, Step Functions down", after


def _less_lucky(stage: Stage) -> Stage:
    after = stage.copy()
    after.faults -= 1
    return after


def _named(stage: Stage, task_id: str) -> str:
    return f"task{[*stage.store.tasks()].index(task_id)}"


def _next_records(stage: Stage) -> list[Change]:
    """Return the next record of each task: their order is kept within a task, and not between two."""
    first: dict[str, Change] = {}
    for change in stage.store.stream:
        first.setdefault(change.task_id, change)
    return [*first.values()]


def _call(stage: Stage, process: Running) -> None:
    stage.new_tasks -= 1
    caller, (tool,) = CALLERS[stage.new_tasks % len(CALLERS)], tools(stage.question)
    process.services.tasks.start(caller, tool, {}, client_capabilities=frozenset({"elicitation.form"}))


def _deploy(stage: Stage, process: Running) -> None:
    stage.deploys -= 1
    stage.question = "colour"


def _deliver(change: Change) -> Do:
    def do(stage: Stage, process: Running) -> None:
        process.services.reconciler.changed(*change)
        stage.store.stream.remove(change)
        stage.delivered[change.task_id] = change

    return do


def _deliver_again(change: Change) -> Do:
    return lambda stage, process: process.services.reconciler.changed(*change)


def _lose(change: Change) -> Do:
    return lambda stage, process: stage.store.stream.remove(change)


def _answer(owner_key: str, task_id: str) -> Do:
    def do(stage: Stage, process: Running) -> None:
        caller = next(each for each in CALLERS if each.owner_key == owner_key)
        task = stage.store.read(owner_key, task_id)
        process.services.suspension.answer(caller, task_id, {each.key: ANSWER for each in task.input_requests})

    return do


def _cancel(owner_key: str, task_id: str) -> Do:
    def do(stage: Stage, process: Running) -> None:
        caller = next(each for each in CALLERS if each.owner_key == owner_key)
        with suppress(IllegalTransition):
            process.services.tasks.cancel(caller, task_id)

    return do


def _step(name: str) -> Do:
    def do(stage: Stage, process: Running) -> None:
        stage.machine.step(name, run=process.services.runner.run, suspend=process.services.suspension.suspend)

    return do


def _run_again(name: str) -> Do:
    def do(stage: Stage, process: Running) -> None:
        with suppress(IllegalTransition):
            process.services.runner.run(*stage.machine.executions[name].names)

    return do


def _stop(name: str) -> Do:
    def do(stage: Stage, process: Running) -> None:
        execution = stage.machine.executions[name]
        execution.status, execution.token = "ABORTED", None

    return do


def _sweep(stage: Stage, process: Running) -> None:
    process.services.reconciler.sweep(limit=10)
