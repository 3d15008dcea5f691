"""Finds the state machines: the default one, and one in each file of a folder."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable
from constructs import Construct

from . import default_machine
from .states import TaskFunctions


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A state machine as its file defines it."""

    file: str
    work: Callable[[Construct, TaskFunctions], IChainable]
    timeout: Duration


def find_machines(package: str) -> Mapping[str, Machine]:
    """Return the default state machine, and that of each module of a package, by its name.

    A module whose name begins with `_` is a helper of others.  Raises `SystemExit` for one that defines no machine.
    """
    found = {default_machine.NAME: _machine(default_machine)}
    for module in _modules(package):
        name = module.__name__.rpartition(".")[2]
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
    if not hasattr(module, "work"):
        raise SystemExit(
            f"{_file(module)} defines no state machine: write a function work(scope, functions) that returns its "
            "states, or begin the name of a helper file with an underscore."
        )
    timeout = getattr(module, "TIMEOUT", default_machine.TIMEOUT)
    return Machine(file=_file(module), work=module.work, timeout=timeout)


def _file(module: ModuleType) -> str:
    return f"{module.__name__.replace('.', '/')}.py"
