"""Who may use the ports: the class that holds them; and those of one revision, its own adapters."""

import ast

import pytest

from tests.test_rooms import CORE, MODULES, REVISIONS, ROOMS, trespasses


def reached_through(source: str) -> list[str]:
    """Return what a module takes out of the ports that somebody else holds."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute) and node.attr == "ports"]
    return [name for each in found if (name := ast.unparse(each)) != "self.ports"]


@pytest.mark.parametrize("module", sorted(each for each in MODULES if each.startswith(CORE)))
def test_ports_are_used_by_who_holds_them(module: str) -> None:
    assert reached_through(MODULES[module].read_text()) == []


@pytest.mark.parametrize("line", ["self.tasks.ports.clock.now()", "tasks.ports.change_feed.publish(owner_key, uri)"])
def test_who_reaches_through_to_ports_is_caught(line: str) -> None:
    assert len(reached_through(line)) == 1


def test_who_holds_ports_uses_them() -> None:
    assert reached_through("self.ports.clock.now()") == []


@pytest.mark.parametrize("target", ["mcp_tasks.wire.http", "mcp_tasks.adapters.dynamodb.task_store", "botocore"])
def test_adapters_of_a_revision_know_the_table_and_the_revisions_ports_alone(target: str) -> None:
    for revision in (each for each in REVISIONS if f"{each}.adapters" in ROOMS):
        module = f"mcp_tasks.wire.{revision}.adapters.dynamodb"

        assert trespasses(module, f"import mcp_tasks.adapters.dynamodb.table, mcp_tasks.wire.{revision}.ports") == []
        assert trespasses(module, f"import {target}") == [target]
        assert trespasses(f"mcp_tasks.wire.{revision}.methods", "import mcp_tasks.adapters.dynamodb.table") != []
