"""The recipes of the documents, on the harness."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from mcp_tasks.features import catalogue
from mcp_tasks.features.tools import Tool
from tests.harness.fixtures import tasks as tasks
from tests.harness.harness import Harness, deployed
from tests.harness.synthesis import template
from tests.infra.assembly import UNBUNDLED, Assembly, synthesise_once
from tests.recipes.pages import TOOLS, names, write_to

TOOLS_MODULE, MACHINES_MODULE = "recipe_tools", "recipe_machines"


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder that the files are written to; the tools are modules of `tools`, as in a clone."""
    folder = tmp_path_factory.mktemp("recipes")
    write_to(folder)
    with pytest.MonkeyPatch.context() as patch:
        module = ModuleType(TOOLS_MODULE)
        module.TOOLS = list(imported(folder / "tools"))  # type: ignore[attr-defined]  # what adopters write
        patch.setitem(sys.modules, TOOLS_MODULE, module)
        yield folder


def imported(folder: Path) -> Iterator[Tool]:
    """Import the tools as modules of `tools`, in place of those that this checkout has."""
    package = ModuleType("tools")
    package.__path__ = [str(folder)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "tools", package)
        for name in names(TOOLS):
            yield getattr(import_module(f"tools.{name}"), name)


@pytest.fixture(scope="session")
def cloud(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """The stack for AWS with the state machines of all recipes, checked by cdk-nag."""
    context = {**UNBUNDLED, "machines_module": MACHINES_MODULE, "tools_module": "tests.recipes.no_tools"}
    return synthesise_once(tmp_path_factory, "recipes", context, validation=True, modules=project)


@pytest.fixture
def deployment(project: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    """The harness, with the tools and state machines of all recipes."""
    listed = tmp_path / "catalogue.json"
    listed.write_text(catalogue.write(TOOLS_MODULE))
    made = template(tmp_path_factory, MACHINES_MODULE, modules=project)
    with deployed(made, {"TOOLS_MODULE": TOOLS_MODULE, "CATALOGUE": str(listed)}) as harness:
        yield harness

        assert not harness.deliveries.lost, f"a function failed for good: {harness.deliveries.lost}"
