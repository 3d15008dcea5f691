"""A server has the features that a module lists, without duplicates."""

import sys
from types import ModuleType

import pytest

from mcp_tasks.features.listing import Features
from tests.unit import one_of_each


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module of an adopter's that lists tools alone."""
    made = ModuleType("listed_by_a_test")
    made.TOOLS = one_of_each.TOOLS  # type: ignore[attr-defined]  # what adopters write
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def test_a_module_lists_tools_prompts_and_resources() -> None:
    features = Features.of_module("tests.unit.one_of_each")

    assert list(features.tools) == one_of_each.TOOLS
    assert list(features.prompts) == one_of_each.PROMPTS
    assert list(features.resources) == one_of_each.RESOURCES


def test_a_module_may_list_tools_alone(module: ModuleType) -> None:
    features = Features.of_module(module.__name__)

    assert list(features.tools) == one_of_each.TOOLS
    assert not features.prompts
    assert not features.resources


def test_a_module_that_lists_no_tools_is_a_mistake() -> None:
    with pytest.raises(AttributeError, match=r"^tests.unit.fields lists no tools: write TOOLS = "):
        Features.of_module("tests.unit.fields")


@pytest.mark.parametrize(
    "given",
    [None, one_of_each.TOOLS[0], {"tool": one_of_each.TOOLS[0]}, "tools", iter(one_of_each.TOOLS)],
    ids=lambda given: type(given).__name__,
)
def test_the_tools_are_a_list(module: ModuleType, given: object) -> None:
    module.TOOLS = given  # type: ignore[attr-defined]  # what adopters write
    with pytest.raises(TypeError, match=r"^TOOLS is a list, as in TOOLS = \[first, second\], and not "):
        Features.of_module(module.__name__)


def test_nothing_is_listed_twice(module: ModuleType) -> None:
    module.PROMPTS = [one_of_each.hello, one_of_each.hello]  # type: ignore[attr-defined]  # what adopters write
    with pytest.raises(ValueError, match="two prompts are named hello"):
        Features.of_module(module.__name__)

    module.PROMPTS, module.RESOURCES = [], [one_of_each.now, one_of_each.now]  # type: ignore[attr-defined]  # as above
    with pytest.raises(ValueError, match="two resources are at report://now"):
        Features.of_module(module.__name__)


def test_a_prompt_and_a_tool_may_have_one_name() -> None:
    features = Features.of(one_of_each.TOOLS, [one_of_each.hello], [one_of_each.now])

    assert [prompt.name for prompt in features.prompts] == ["hello"]
