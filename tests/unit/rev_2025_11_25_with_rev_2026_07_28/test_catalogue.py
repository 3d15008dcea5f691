"""The catalogue of listed features equals the features themselves, and is read without their modules."""

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import examples
from mcp_tasks import Caller, CompletionContext, Context, Prompt, Resource, ResourceNotFound, Tool
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.features import catalogue
from mcp_tasks.features.listing import Features
from mcp_tasks.run_inline.client import CodeFailed, RemoteTool
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import server_features
from mcp_tasks.wire.rev_2025_11_25 import render as render_2025
from mcp_tasks.wire.rev_2026_07_28 import render as render_2026
from tests.elsewhere import elsewhere
from tests.kit import ADA, BOB
from tests.unit import one_of_each

CONTEXT = Context(caller=ADA, journal=InlineJournal())
MODULES = pytest.mark.parametrize("module", [examples, one_of_each], ids=lambda module: module.__name__)


def read(module: ModuleType = one_of_each) -> Features:
    """Return the features of a module as the entry point reads them."""
    return catalogue.read(catalogue.write(module.__name__), elsewhere(real(module)))


def real(module: ModuleType = one_of_each) -> Features:
    """Return what a module lists itself."""
    return Features.of(module.TOOLS, module.PROMPTS, module.RESOURCES)


def known(of: Any) -> set[str]:
    """Return the names of all that there is to know of a thing; its work is what the catalogue leaves to the module."""
    return {field.name for field in fields(of)} - {"work"}


def facts(things: Iterable[Any]) -> list[dict[str, object]]:
    return [{name: getattr(thing, name) for name in known(thing)} for thing in things]


@MODULES
def test_every_field_of_what_is_listed_is_that_of_the_thing_itself(module: ModuleType) -> None:
    listed, itself = read(module), real(module)

    assert facts(listed.tools) == facts(itself.tools)
    assert facts(listed.prompts) == facts(itself.prompts)
    assert facts(listed.resources) == facts(itself.resources)


@pytest.mark.parametrize("kind", [Tool, Prompt, Resource])
def test_whatever_can_be_said_of_a_thing_is_said_of_one_of_them(kind: type[Any]) -> None:
    things = [
        thing
        for listed in (one_of_each.TOOLS, one_of_each.PROMPTS, one_of_each.RESOURCES)
        for thing in listed
        if isinstance(thing, kind)
    ]
    optional = {field.name for field in fields(kind) if field.name != "work"} - {"name", "description", "uri"}
    usual: Any = kind(name="x", description="X.", work=things[0].work, **({"uri": "a://b"} if kind is Resource else {}))

    assert [name for name in optional if all(getattr(each, name) == getattr(usual, name) for each in things)] == []


@MODULES
@pytest.mark.parametrize("may_return_handle", [True, False])
@pytest.mark.parametrize(
    "render", [partial(render_2025.tool, knows_tasks=True), render_2026.tool], ids=["2025-11-25", "2026-07-28"]
)
def test_a_listed_tool_is_shown_as_the_tool_itself(module: ModuleType, may_return_handle: bool, render: Any) -> None:
    def shown(features: Features) -> list[object]:
        return [render(tool, may_return_handle=may_return_handle) for tool in features.tools]

    assert shown(read(module)) == shown(real(module))
    assert len(shown(real(module))) == len(module.TOOLS)


@MODULES
def test_listed_prompts_and_resources_are_shown_as_the_things_themselves(module: ModuleType) -> None:
    listed, itself = read(module), real(module)

    assert [server_features.shown_prompt(each) for each in listed.prompts] == [
        server_features.shown_prompt(p) for p in module.PROMPTS
    ]
    assert [server_features.shown_resource(each) for each in listed.resources] == [
        server_features.shown_resource(each) for each in module.RESOURCES
    ]
    assert server_features.capabilities(listed) == server_features.capabilities(itself)


def tool_named(name: str) -> Tool:
    found = read().tools.find(name)
    assert found
    return found


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("crunch", {"region": "eu"}), ("crunch", {"region": "us", "size": 7}), ("order", {"size": 1})],
)
def test_a_listed_tool_is_called_like_the_tool_itself(name: str, arguments: dict[str, JSON]) -> None:
    listed, itself = tool_named(name), real().tools.find(name)

    assert itself
    assert isinstance(listed.work, RemoteTool)
    assert listed.work.check(arguments) == arguments
    assert listed.work.run(arguments, CONTEXT) == itself.work.call(arguments, CONTEXT)


def test_a_listed_tool_rejects_what_the_tool_itself_rejects() -> None:
    for name, arguments in (("crunch", {}), ("order", {"size": "7"})):
        with pytest.raises(BadArguments, match=r"region is missing|size: '7' is not of type 'integer'"):
            tool_named(name).work.check(arguments)


def test_what_a_machine_returned_is_read_as_by_the_tool_itself() -> None:
    assert tool_named("crunch").work.returned({"size": 7}) == one_of_each.crunch.work.returned({"size": 7})


def test_the_function_of_what_is_listed_is_in_another_process() -> None:
    listed = read()
    hello, report = listed.prompts.find("hello"), listed.resources.with_uri("report://{year}/{kind}")

    for of in (tool_named("crunch"), hello, report):
        assert of
        with pytest.raises(TypeError, match="this code is in another process"):
            of()


def test_a_listed_prompt_gives_what_the_prompt_itself_gives() -> None:
    review = read().prompts.find("review")
    assert review

    assert review.work.get({"code": "x", "tone": "kind"}, CONTEXT) == [
        {"role": "assistant", "content": {"type": "text", "text": "x kind "}}
    ]
    with pytest.raises(BadArguments, match="tone: Input should be 'kind' or 'stern'"):
        review.work.get({"code": "x", "tone": "loud"}, CONTEXT)


@pytest.mark.parametrize("uri", ["report://2026/short", "report://2026/long", "report://now"])
def test_what_is_at_an_address_is_what_the_resource_itself_says(uri: str) -> None:
    assert (
        server_features.read_resource(read(), uri, CONTEXT).contents
        == server_features.read_resource(real(), uri, CONTEXT).contents
    )


def test_an_address_without_anything_is_one_for_the_endpoint_too() -> None:
    for uri in ("report://1800/short", "report://2026", "report://../x"):
        with pytest.raises(ResourceNotFound):
            server_features.read_resource(read(), uri, CONTEXT)


@pytest.mark.parametrize(
    ("argument", "typed", "expected"),
    [("tone", "s", ["stern"]), ("name", "A", ["Abob"]), ("code", "x", [])],
)
def test_a_listed_prompt_is_completed_as_the_prompt_itself(argument: str, typed: str, expected: list[str]) -> None:
    assert completed("review", argument, typed) == expected


@pytest.mark.parametrize(
    ("variable", "typed", "expected"), [("kind", "", ["short", "long"]), ("year", "202", ["2026"])]
)
def test_a_listed_resource_is_completed_as_the_resource_itself(variable: str, typed: str, expected: list[str]) -> None:
    assert completed("report://{year}/{kind}", variable, typed) == expected


def completed(of: str, argument: str, typed: str, caller: Caller = BOB) -> list[str]:
    found = read().prompts.find(of) or read().resources.with_uri(of)
    assert found
    return found.work.complete(argument, typed, CompletionContext(caller=caller))


@pytest.mark.parametrize("kind", ["tools", "prompts", "resources"])
def test_a_catalogue_of_another_version_says_so(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    entries: Any = json.loads(catalogue.write(one_of_each.__name__))
    entries[kind][0] |= {"name": "gone"} if kind != "resources" else {"uri": "report://{gone}", "scopes": []}
    listed = catalogue.read(json.dumps(entries), elsewhere(real()))
    (tool, *_), (prompt, *_), (resource, *_) = listed.tools, listed.prompts, listed.resources
    runs: dict[str, Callable[[], object]] = {
        "tools": lambda: tool.work.check({}),
        "prompts": lambda: prompt.work.get({}, CONTEXT),
        "resources": lambda: resource.work.read({}, CONTEXT),
    }

    with pytest.raises((LookupError, CodeFailed)) as raised:
        runs[kind]()
    assert "another version" in caplog.text + str(raised.value)


def test_the_catalogue_of_a_release_without_scopes_and_versions_is_read() -> None:
    entries: Any = json.loads(catalogue.write(one_of_each.__name__))
    for entry in (entry for kind in entries.values() for entry in kind):
        del entry["scopes"]
        entry.pop("version", None)
    listed = catalogue.read(json.dumps(entries), elsewhere(real()))
    assert {tuple(each.scopes) for each in (*listed.tools, *listed.prompts, *listed.resources)} == {()}
    assert {each.version for each in listed.tools} == {None}


def test_a_module_that_lists_tools_alone_has_a_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "only_tools.py").write_text("from tests.unit.one_of_each import TOOLS\n")
    monkeypatch.syspath_prepend(tmp_path)

    listed = catalogue.read(catalogue.write("only_tools"), elsewhere(real()))

    assert [tool.name for tool in listed.tools] == ["crunch", "order"]
    assert not listed.prompts
    assert not listed.resources


def test_a_module_without_any_tool_has_a_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no_tools.py").write_text("TOOLS = []\n")
    monkeypatch.syspath_prepend(tmp_path)

    listed = catalogue.read(catalogue.write("no_tools"), elsewhere(real()))

    assert [*listed.tools] == []
    assert server_features.capabilities(listed) == server_features.capabilities(Features.of([]))


def test_a_catalogue_lists_in_the_order_of_the_module() -> None:
    listed = read()

    assert [tool.name for tool in listed.tools] == ["crunch", "order"]
    assert [prompt.name for prompt in listed.prompts] == ["review", "hello"]
    assert [resource.uri for resource in listed.resources] == ["report://{year}/{kind}", "report://now"]
