"""Tools, prompts and resources of the catalogue, whose module is imported when their code is first called."""

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
    """A `Work` that imports its module when it is first called; the schemas are the catalogue's."""

    module: str
    name: str
    input_schema: Mapping[str, JSON]
    output_schema: Mapping[str, JSON] | None

    @property
    def function(self) -> Callable[..., Any]:
        """The undecorated function, for tests that call it directly."""
        return self._work.function

    def check(self, arguments: Mapping[str, JSON]) -> Mapping[str, Any]:
        """Return the arguments as the function takes them; raises `BadArguments`."""
        return self._work.check(arguments)

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Check the arguments and call the function; raises `BadArguments` and whatever the function raises."""
        return self._work.call(arguments, context)

    def returned(self, value: Any) -> Returned:
        """Return a value as a `CallToolResult`; raises `BadResult`."""
        return self._work.returned(value)

    @property
    def _work(self) -> Work:
        tool = Features.of_module(self.module).tools.find(self.name)
        assert tool, f"{self.module} lists {self.name} no more: the catalogue is of another version"
        return tool.work


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyPrompt:
    """A `PromptWork` that imports its module when it is first called."""

    module: str
    name: str

    @property
    def function(self) -> Callable[..., Any]:
        """The undecorated function, for tests that call it directly."""
        return self._work.function

    def get(self, arguments: Mapping[str, JSON], context: Context) -> list[dict[str, JSON]]:
        """Return the messages of `prompts/get`; raises `BadArguments` and whatever the function raises."""
        return self._work.get(arguments, context)

    def complete(self, argument: str, typed: str, context: CompletionContext) -> list[str]:
        """Return suggested values for an argument."""
        return self._work.complete(argument, typed, context)

    def completed_by(self, argument: str, completer: Completer) -> None:
        """Register the completer of an argument."""
        self._work.completed_by(argument, completer)

    @property
    def _work(self) -> PromptWork:
        prompt = Features.of_module(self.module).prompts.find(self.name)
        assert prompt, f"{self.module} lists {self.name} no more: the catalogue is of another version"
        return prompt.work


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyResource:
    """A `ResourceWork` that imports its module when it is first called."""

    module: str
    uri: str

    @property
    def function(self) -> Callable[..., Any]:
        """The undecorated function, for tests that call it directly."""
        return self._work.function

    def read(self, variables: Mapping[str, str], context: Context) -> Any:
        """Return what the function returns; raises `BadArguments` and whatever the function raises."""
        return self._work.read(variables, context)

    def complete(self, variable: str, typed: str, context: CompletionContext) -> list[str]:
        """Return suggested values for a variable."""
        return self._work.complete(variable, typed, context)

    def completed_by(self, variable: str, completer: Completer) -> None:
        """Register the completer of a variable."""
        self._work.completed_by(variable, completer)

    @property
    def _work(self) -> ResourceWork:
        resource = Features.of_module(self.module).resources.with_uri(self.uri)
        assert resource, f"{self.module} lists {self.uri} no more: the catalogue is of another version"
        return resource.work
