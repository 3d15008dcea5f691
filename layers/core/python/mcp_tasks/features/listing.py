"""The features of a server: the tools, prompts and resources that a module lists."""

from collections.abc import Container, Iterable
from dataclasses import field, replace
from importlib import import_module
from typing import Self

from mcp_tasks.features.definition import listed_in
from mcp_tasks.features.machines import check_machines
from mcp_tasks.features.prompts import Prompt, Prompts
from mcp_tasks.features.resources import Resource, Resources
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.records import record


@record
class Features:
    """The tools, prompts and resources of a server."""

    tools: Toolbox
    prompts: Prompts = field(default_factory=Prompts)
    resources: Resources = field(default_factory=Resources)

    @classmethod
    def of(cls, tools: Iterable[Tool], prompts: Iterable[Prompt] = (), resources: Iterable[Resource] = ()) -> Self:
        """Collect features; raises `ValueError` when two of a kind have the same name."""
        return cls(tools=Toolbox(tools), prompts=Prompts(prompts), resources=Resources(resources))

    def within(self, tools: Container[str]) -> Self:
        """Return these features with those tools alone whose names are among `tools`."""
        return replace(self, tools=Toolbox(tool for tool in self.tools if tool.name in tools))

    def with_built_in(self, tools: Iterable[Tool], resources: Iterable[Resource]) -> Self:
        """Return these features followed by built-in ones, whose names no others have."""
        return replace(self, tools=self.tools.with_built_in(tools), resources=Resources([*self.resources, *resources]))

    @classmethod
    def of_module(cls, name: str) -> Self:
        """Import a module, and collect its `TOOLS` and, if it has them, its `PROMPTS` and `RESOURCES`.

        Raises `MissingMachine` for a tool whose state machine has no file, besides what `of` raises.
        """
        module = import_module(name)
        if not hasattr(module, "TOOLS"):
            raise AttributeError(f"{name} lists no tools: write TOOLS = [...] in it")
        features = cls.of(*(listed_in(module, listed) for listed in ("TOOLS", "PROMPTS", "RESOURCES")))
        features.resources.check_spellings()
        check_machines(module, features.tools)
        return features
