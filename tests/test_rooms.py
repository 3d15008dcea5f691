"""The rooms that each room may import, and how long a module may be.

`ROOMS` is the rule: a room, its rooms and its other packages.  A module belongs to the room whose name is longest.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import import_graph

ROOT = Path(__file__).parents[1]
SOURCES = {
    ROOT / "layers/core/python": ["mcp_tasks"],
    ROOT / "layers/tools/python": ["tools"],
    ROOT / "layers/examples/python": ["examples"],
    ROOT: ["app", "functions", "infra", "local"],
}
LONGEST = 300
ANY = frozenset({"*"})
# The domain reads no clock and no environment and uses no random numbers: its callers do.
WORLD = frozenset({"os", "time", "random", "secrets", "socket", "subprocess", "threading", "pathlib", "logging"})


@dataclass(frozen=True, kw_only=True)
class Room:
    """The modules in one room, and what they may import beside each other."""

    holds: frozenset[str]
    ours: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    pure: bool = False


def _room(holds: str, ours: str = "", others: str = "", *, pure: bool = False) -> Room:
    names = [frozenset(each.split()) for each in (holds, ours, others)]
    return Room(holds=names[0], ours=names[1], others=names[2], pure=pure)


def _revision(name: str) -> Iterator[tuple[str, Room]]:
    """Yield the rooms of a revision; where it keeps state of its own it has a port for that, and adapters."""
    holds = f"{CORE}.wire.{name}"
    own = [
        each for each in ("ports", "adapters") if (WIRE / name / each).exists() or (WIRE / name / f"{each}.py").exists()
    ]
    if "ports" in own:
        yield f"{name}.ports", _room(f"{holds}.ports", "tasks", pure=True)
    if "adapters" in own:
        yield f"{name}.adapters", _room(f"{holds}.adapters", f"tasks fallbacks clock storage table {name}.ports")
    ours = " ".join(f"{name}.{each}" for each in own)
    yield name, _room(holds, f"tasks fallbacks tenancy storage security authoring features engine wire {ours}")


CORE = "mcp_tasks"
FOR_ALL = ("limits", "records")  # numbers, and how a class is written: for everybody but adopters
WIRE = ROOT / "layers/core/python/mcp_tasks/wire"
REVISIONS = sorted(each.name for each in WIRE.glob("rev_*"))
STORAGE = (*(f"dynamodb.{each}" for each in ("items", "reading", "schema", "table")), "memory.shelves", "aws_failures")
ROOMS: Mapping[str, Room] = {
    "face": _room(CORE, "tenancy authoring features"),
    **{name: _room(f"{CORE}.{name}", pure=True) for name in (*FOR_ALL, "version", "page")},
    "tasks": _room(f"{CORE}.tasks", pure=True),
    "fallbacks": _room(f"{CORE}.fallbacks", "tasks"),
    "tenancy": _room(f"{CORE}.security.tenancy {CORE}.security.credentials {CORE}.security.scopes", pure=True),
    "clock": _room(f"{CORE}.ports.clock", pure=True),
    "patience": _room(f"{CORE}.patience", "clock"),
    "storage": _room(f"{CORE}.ports.storage", "clock", pure=True),
    "ports": _room(f"{CORE}.ports", "tasks tenancy clock storage", pure=True),
    "security": _room(f"{CORE}.security", "tasks tenancy clock ports", "cryptography"),
    "clients": _room(f"{CORE}.authoring.aws_clients", "tenancy", "botocore"),
    "authoring": _room(f"{CORE}.authoring", "tasks tenancy clients", "pydantic pydantic_core jsonschema referencing"),
    "features": _room(
        *(f"{CORE}.features", "tasks tenancy authoring"),
        "pydantic pydantic_core typing_extensions jsonschema jsonschema_specifications referencing",
    ),
    "engine": _room(f"{CORE}.engine", "tasks fallbacks tenancy clock patience ports authoring features audit"),
    "run_host": _room(f"{CORE}.run_host", "tasks tenancy clock ports security authoring engine"),
    "run_inline": _room(f"{CORE}.run_inline", "tasks tenancy clock authoring features engine run_host"),
    "audit": _room(f"{CORE}.audit {CORE}.engine.task_events", "tasks tenancy clock ports", "cryptography"),
    "settings": _room(f"{CORE}.settings", "tasks tenancy engine version"),
    "wire": _room(f"{CORE}.wire", "page tasks fallbacks tenancy storage security authoring features engine"),
    "wire.server": _room(f"{CORE}.wire.server {CORE}.wire.call_log", "tasks tenancy patience engine wire audit"),
    "table": _room(
        " ".join(f"{CORE}.adapters.{each}" for each in STORAGE), "tasks fallbacks clock patience", "botocore"
    ),
    "adapters": _room(
        f"{CORE}.adapters", "tasks fallbacks tenancy clock storage ports security patience table audit", "botocore jwt"
    ),
    "apigateway": _room(f"{CORE}.wire.apigateway", "tenancy wire"),
    "snapshots": _room(f"{CORE}.snapshots", "", "snapshot_restore_py"),
    "aws": _room(f"{CORE}.aws {CORE}.importing {CORE}.service_data", "clock adapters table snapshots", "botocore"),
    "wiring": _room(f"{CORE}.wiring", "tenancy ports security features engine run_host wire"),
    "bootstrap": _room(
        f"{CORE}.bootstrap",
        "tasks ports security engine features run_host run_inline settings wire adapters table wiring aws audit",
        "botocore",
    ),
    "tool_bootstrap": _room(f"{CORE}.tool_bootstrap", "engine features run_host run_inline settings aws"),
    "testing": _room(
        f"{CORE}.testing",
        "tasks tenancy ports security authoring features engine settings wire wire.server adapters wiring bootstrap",
        "pytest",
    ),
    "state_machines": _room(f"{CORE}.testing.state_machines", "", "boto3 botocore jsonata moto"),
    "adopter": _room("tools examples", "face", "*"),
    "functions": _room(
        "functions",
        "aws snapshots bootstrap tool_bootstrap settings tenancy fallbacks wire.server adapters table apigateway audit",
        "aws_lambda_powertools",
    ),
    "infra": _room("infra", "page", "aws_cdk constructs jsii uv"),
    "app": _room("app", "infra", "aws_cdk cdk_nag"),
    "local": _room("local", "*", "*"),
    **{name: room for each in REVISIONS for name, room in _revision(each)},
}


def modules(sources: Mapping[Path, list[str]]) -> Iterator[tuple[str, Path]]:
    for source, packages in sources.items():
        for package in packages:
            for path in [source / f"{package}.py", *(source / package).rglob("*.py")]:
                if path.exists():
                    parts = path.relative_to(source).with_suffix("").parts
                    yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


MODULES = dict(modules(SOURCES))
# Tests are in no room: they import whatever they like.  But they are short all the same.
TESTS = dict(modules({ROOT: ["tests"]}))


def room_of(module: str) -> str | None:
    """Name the room of one of our modules; None for a module of others."""
    parts = module.split(".")
    # The face is one module: whatever is new beside it finds its room in the table first.
    names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    reach = names if parts[0] != CORE or len(parts) == 1 else names[:-1]
    return next((room for name in reach for room, it in ROOMS.items() if name in it.holds), None)


def imported(module: str, source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from import_graph.imported_names(module, node, MODULES)


def trespasses(module: str, source: str) -> list[str]:
    """Return what a module imports although its room may not."""
    name = room_of(module)
    assert name is not None, f"{module} is in no room: add it to the table"
    return [each for each in dict.fromkeys(imported(module, source)) if not _may(name, module, each)]


def _may(room_name: str, module: str, target: str) -> bool:
    room = ROOMS[room_name]
    package = target.partition(".")[0]
    if package in sys.stdlib_module_names:
        return not (room.pure and package in WORLD)
    theirs = room_of(target)
    if theirs is None:
        return package in room.others or room.others == ANY
    # No function knows another: each is one folder, deployed by itself.
    stranger = room_name == "functions" and theirs == "functions" and target.split(".")[1] != module.split(".")[1]
    bound = theirs in FOR_ALL and room_name != "adopter"
    return (theirs == room_name and not stranger) or theirs in room.ours or room.ours == ANY or bound


def too_long(source: str) -> bool:
    return len(source.splitlines()) > LONGEST


def test_every_module_is_found() -> None:
    ours = {CORE, f"{CORE}.tasks.transitions", "examples.greet", "infra.stack", "functions.serve_mcp.handler", "app"}
    assert ours <= set(MODULES)
    assert {"tests.kit", "tests.test_rooms", f"tests.protocol.{REVISIONS[0]}.client", "tests.harness"} <= set(TESTS)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_stays_in_its_room(module: str) -> None:
    assert trespasses(module, MODULES[module].read_text()) == []


@pytest.mark.parametrize("module", sorted(MODULES | TESTS))
def test_a_module_is_short(module: str) -> None:
    assert not too_long((MODULES | TESTS)[module].read_text())


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_no_room_is_empty(room: str) -> None:
    assert room in {room_of(module) for module in MODULES}


def test_no_room_leads_back_to_itself() -> None:
    order: list[str] = []
    bound = {name: room.ours - {"*"} for name, room in ROOMS.items()}
    while free := [name for name, ours in bound.items() if name not in order and ours <= set(order)]:
        order += free

    assert set(order) == set(ROOMS)


@pytest.mark.parametrize(
    ("module", "line", "found"),
    [
        ("mcp_tasks", "from mcp_tasks.engine.lifecycle import TaskService", "mcp_tasks.engine.lifecycle"),
        ("examples.greet", "from mcp_tasks.limits.waits import HOLD", "mcp_tasks.limits.waits"),
        ("mcp_tasks.tasks.model", "import pydantic", "pydantic"),
        ("mcp_tasks.tasks.model", "import time", "time"),
        ("mcp_tasks.tasks.model", "from os import environ", "os"),
        ("mcp_tasks.tasks.transitions", "from mcp_tasks.ports.clock import Clock", "mcp_tasks.ports.clock"),
        ("mcp_tasks.tasks.transitions", "def f():\n    import boto3", "boto3"),
        ("mcp_tasks.security.tenancy", "from mcp_tasks.tasks.model import JSON", "mcp_tasks.tasks.model"),
        ("mcp_tasks.ports", "from mcp_tasks.engine.lifecycle import TaskService", "mcp_tasks.engine.lifecycle"),
        ("mcp_tasks.ports.store", "import botocore", "botocore"),
        ("mcp_tasks.features.signature", "from mcp_tasks.ports import Ports", "mcp_tasks.ports"),
        ("mcp_tasks.authoring.context", "from mcp_tasks.engine import runner", "mcp_tasks.engine.runner"),
        (
            "mcp_tasks.engine.lifecycle",
            "from mcp_tasks.adapters.memory.task_store import MemoryTaskStore",
            "mcp_tasks.adapters.memory.task_store",
        ),
        ("mcp_tasks.engine.runner", "from mcp_tasks.wire import jsonrpc", "mcp_tasks.wire.jsonrpc"),
        ("mcp_tasks.engine.reconciler", "import pydantic", "pydantic"),
        ("mcp_tasks.security.signing", "from mcp_tasks.settings import Settings", "mcp_tasks.settings"),
        ("mcp_tasks.settings", "from mcp_tasks.ports import Ports", "mcp_tasks.ports"),
        ("mcp_tasks.wire.http", "from mcp_tasks.ports.store import TaskStore", "mcp_tasks.ports.store"),
        ("mcp_tasks.wire.server", "import mcp_tasks.adapters.dynamodb.table", "mcp_tasks.adapters.dynamodb.table"),
        ("mcp_tasks.wiring", "import mcp_tasks.adapters.memory.ports", "mcp_tasks.adapters.memory.ports"),
        ("mcp_tasks.wire.http", "from mcp_tasks.wire.server import handle", "mcp_tasks.wire.server"),
        ("mcp_tasks.wire.server", "from mcp_tasks.wire import apigateway", "mcp_tasks.wire.apigateway"),
        (f"mcp_tasks.wire.{REVISIONS[0]}.methods", "from mcp_tasks import ports", "mcp_tasks.ports"),
        (f"mcp_tasks.wire.{REVISIONS[0]}.methods", "import mcp_tasks.wire.server", "mcp_tasks.wire.server"),
        (f"mcp_tasks.wire.{REVISIONS[0]}.methods", "import mcp_tasks.adapters.s3", "mcp_tasks.adapters.s3"),
        ("mcp_tasks.wire.http", f"import mcp_tasks.wire.{REVISIONS[0]}", f"mcp_tasks.wire.{REVISIONS[0]}"),
        (
            "mcp_tasks.adapters.dynamodb.task_store",
            "from mcp_tasks.engine.lifecycle import TaskService",
            "mcp_tasks.engine.lifecycle",
        ),
        ("mcp_tasks.adapters.dynamodb.task_store", "from mcp_tasks.wire.http import HttpReply", "mcp_tasks.wire.http"),
        ("mcp_tasks.wire.apigateway", "from mcp_tasks.wire.server import handle", "mcp_tasks.wire.server"),
        ("mcp_tasks.adapters.memory.task_store", "import pydantic", "pydantic"),
        ("mcp_tasks.bootstrap", "import boto3", "boto3"),
        ("mcp_tasks.bootstrap", "from examples import TOOLS", "examples"),
        ("examples.greet", "from mcp_tasks.authoring.context import Context", "mcp_tasks.authoring.context"),
        ("examples.greet", "import mcp_tasks.engine.lifecycle", "mcp_tasks.engine.lifecycle"),
        ("functions.sweep.handler", "from mcp_tasks.engine.reconciler import Reconcile", "mcp_tasks.engine.reconciler"),
        ("functions.sweep.handler", "from functions.run_tool import handler", "functions.run_tool.handler"),
        ("functions.sweep.handler", "import infra.stack", "infra.stack"),
        ("functions.sweep.handler", "import boto3", "boto3"),
        ("infra.stack", "from mcp_tasks.features.tools import Tool", "mcp_tasks.features.tools"),
        ("infra.stack", "import boto3", "boto3"),
        ("app", "from functions.sweep import handler", "functions.sweep.handler"),
        ("mcp_tasks.tasks.model", "from ..engine import lifecycle", "mcp_tasks.engine.lifecycle"),
    ],
)
def test_a_trespasser_is_caught(module: str, line: str, found: str) -> None:
    assert trespasses(module, line) == [found]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_revision_that_imports_its_neighbour_is_caught(monkeypatch: pytest.MonkeyPatch, revision: str) -> None:
    monkeypatch.setitem(ROOMS, "rev_2099", _room("mcp_tasks.wire.rev_2099", "wire"))

    for one, other in [(revision, "rev_2099"), ("rev_2099", revision)]:
        line = f"from mcp_tasks.wire.{other}.render import status"
        assert trespasses(f"mcp_tasks.wire.{one}.render", line) == [f"mcp_tasks.wire.{other}.render"]


def test_a_module_without_a_room_is_caught() -> None:
    with pytest.raises(AssertionError, match="helpers is in no room"):
        trespasses("mcp_tasks.helpers", "")


@pytest.mark.parametrize("folder", ["local", "functions/sweep", "infra", "tests/unit"])
def test_a_long_module_is_caught(tmp_path: Path, folder: str) -> None:
    planted = tmp_path / folder
    planted.mkdir(parents=True)
    (planted / "short.py").write_text("\n" * LONGEST)
    (planted / "long.py").write_text("\n" * (LONGEST + 1))

    found = dict(modules({tmp_path: [*SOURCES[ROOT], "tests"]}))
    room = folder.replace("/", ".")
    assert {module: too_long(path.read_text()) for module, path in found.items()} == {
        f"{room}.short": False,
        f"{room}.long": True,
    }


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert import_graph.circles({module: path.read_text() for module, path in MODULES.items()}) == []


@pytest.mark.parametrize("module", sorted(module for module in MODULES if module.startswith(CORE)))
def test_an_import_inside_a_function_says_what_it_saves(module: str) -> None:
    assert import_graph.unexplained(MODULES[module].read_text()) == []
