"""Finds the state machines: the default one, and one in each file of a folder."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, TypeAlias

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable
from constructs import Construct

from . import default_machine, no_machine
from .existing_machine import existing_work, imported
from .states import TaskFunctions

Work: TypeAlias = Callable[[Construct, TaskFunctions], IChainable]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A state machine as its file defines it."""

    file: str
    work: Work
    timeout: Duration


def find_machines(package: str | None) -> Mapping[str, Machine]:
    """Return the default state machine, and that of each module of a package, if there is one, by its name.

    A module whose name begins with `_` is a helper of others.  Raises `SystemExit` for one that defines no machine.
    """
    found = {default_machine.NAME: _machine(default_machine)}
    for module in _modules(package) if package else ():
        name = module.__name__.rpartition(".")[2]
        if name == no_machine.NAME:
            raise SystemExit(f"{_file(module)}: {name} means that a tool has no state machine, rename the file.")
        if name in found:
            raise SystemExit(f"{_file(module)}: {name} is the name of the default state machine, rename the file.")
        found[name] = _machine(module)
    return found


def _modules(package: str) -> Iterator[ModuleType]:
    try:
        folders = import_module(package).__path__
    except ModuleNotFoundError as error:
        if not f"{package}.".startswith(f"{error.name}."):
            raise
        # Who deletes the last file deletes the folder: Git keeps none that is empty.
        return
    for each in iter_modules(folders):
        if not each.name.startswith("_"):
            yield import_module(f"{package}.{each.name}")


def _machine(module: ModuleType) -> Machine:
    defined = [name for name in WORKS if hasattr(module, name)]
    if len(defined) != 1:
        raise SystemExit(
            f"{_file(module)} defines {' and '.join(defined) or 'no state machine'}: write work(scope, functions), "
            "which returns states, or the ARN of a state machine that exists, or existing(scope), which imports one. "
            "The name of a helper file begins with an underscore."
        )
    timeout = getattr(module, "TIMEOUT", default_machine.TIMEOUT)
    if not isinstance(timeout, Duration):
        raise SystemExit(f"{_file(module)}: TIMEOUT is {timeout!r}: write a Duration of aws_cdk, as Duration.days(8).")
    return Machine(file=_file(module), work=WORKS[defined[0]](module), timeout=timeout)


def _own(module: ModuleType) -> Work:
    return lambda scope, functions: _returned(module, "work", scope, functions)


def _by_arn(module: ModuleType) -> Work:
    return lambda scope, functions: existing_work(scope, imported(scope, module.ARN, file=_file(module)))


def _by_import(module: ModuleType) -> Work:
    return lambda scope, functions: existing_work(scope, _returned(module, "existing", scope))


SIGNATURES: Mapping[str, tuple[str, str]] = {
    "work": ("def work(scope: Construct, functions: TaskFunctions) -> IChainable", "start_state"),
    "existing": ("def existing(scope: Construct) -> IStateMachine", "state_machine_arn"),
}
"""How each function is written, and what something that it may return has."""


def _returned(module: ModuleType, name: str, *given: Any) -> Any:
    """Call a function of a file; raises `SystemExit` for what is none, or returns something else than it should."""
    function, (written, has) = getattr(module, name), SIGNATURES[name]
    try:
        signature(function).bind(*given)
    except TypeError as error:
        raise SystemExit(f"{_file(module)}: {name} cannot be called: {error}: write {written}.") from error
    returned = function(*given)
    if not hasattr(returned, has):
        what = written.split()[-1]
        raise SystemExit(f"{_file(module)}: {name} returns {returned!r}, which is no {what}: write {written}.")
    return returned


WORKS: Mapping[str, Callable[[ModuleType], Work]] = {"work": _own, "ARN": _by_arn, "existing": _by_import}
"""What a file may define, and the states that come of it."""


def _file(module: ModuleType) -> str:
    return f"{module.__name__.replace('.', '/')}.py"
