"""The work of tools, prompts and resources in a module that is imported when somebody needs it, and not before."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_tasks.authoring.context import Context
from mcp_tasks.features.completion import Completer, CompletionContext
from mcp_tasks.features.listing import Features
from mcp_tasks.features.prompts import PromptWork
from mcp_tasks.features.resources import ResourceWork
from mcp_tasks.features.tools import Work
from mcp_tasks.tasks.model import JSON, Returned


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyTool:
    """The work of a tool; see `Work`."""

    module: str
    name: str
    input_schema: Mapping[str, JSON]
    output_schema: Mapping[str, JSON] | None

    @property
    def function(self) -> Callable[..., Any]:
        """The plain function."""
        return self._work.function

    def check(self, arguments: Mapping[str, JSON]) -> Mapping[str, Any]:
        """Check the arguments."""
        return self._work.check(arguments)

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Call the function."""
        return self._work.call(arguments, context)

    def returned(self, value: Any) -> Returned:
        """Say what was returned."""
        return self._work.returned(value)

    @property
    def _work(self) -> Work:
        tool = Features.of_module(self.module).tools.find(self.name)
        assert tool, f"{self.module} lists {self.name} no more: the catalogue is of another version"
        return tool.work


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyPrompt:
    """The work of a prompt; see `PromptWork`."""

    module: str
    name: str

    @property
    def function(self) -> Callable[..., Any]:
        """The plain function."""
        return self._work.function

    def get(self, arguments: Mapping[str, JSON], context: Context) -> list[dict[str, JSON]]:
        """Return the messages."""
        return self._work.get(arguments, context)

    def complete(self, argument: str, typed: str, context: CompletionContext) -> list[str]:
        """Return what an argument could become."""
        return self._work.complete(argument, typed, context)

    def completed_by(self, argument: str, completer: Completer) -> None:
        """Let a function complete an argument."""
        self._work.completed_by(argument, completer)

    @property
    def _work(self) -> PromptWork:
        prompt = Features.of_module(self.module).prompts.find(self.name)
        assert prompt, f"{self.module} lists {self.name} no more: the catalogue is of another version"
        return prompt.work


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyResource:
    """The work of a resource; see `ResourceWork`."""

    module: str
    uri: str

    @property
    def function(self) -> Callable[..., Any]:
        """The plain function."""
        return self._work.function

    def read(self, variables: Mapping[str, str], context: Context) -> Any:
        """Return what is there."""
        return self._work.read(variables, context)

    def complete(self, variable: str, typed: str, context: CompletionContext) -> list[str]:
        """Return what a variable could become."""
        return self._work.complete(variable, typed, context)

    def completed_by(self, variable: str, completer: Completer) -> None:
        """Let a function complete a variable."""
        self._work.completed_by(variable, completer)

    @property
    def _work(self) -> ResourceWork:
        resource = Features.of_module(self.module).resources.named(self.uri)
        assert resource, f"{self.module} lists {self.uri} no more: the catalogue is of another version"
        return resource.work
