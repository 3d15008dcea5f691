"""Resources: plain functions that return what is at an address, and the collection that holds them."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from inspect import getdoc
from typing import Any, Final, Protocol
from urllib.parse import unquote, urlsplit

from mcp_tasks.authoring.context import Context
from mcp_tasks.features.completion import Completer, CompletionContext
from mcp_tasks.tasks.model import JSON

VARIABLE: Final = re.compile(r"\{(\w+)\}")


class ResourceWork(Protocol):
    """What a resource does: a function seen through its signature, or what the catalogue knows of one."""

    @property
    def function(self) -> Callable[..., Any]:
        """The plain function."""

    def read(self, variables: Mapping[str, str], context: Context) -> Any:
        """Return what the function returns; raises `BadArguments` and whatever the function raises."""

    def complete(self, variable: str, typed: str, context: CompletionContext) -> list[str]:
        """Return what a variable could become."""

    def completed_by(self, variable: str, completer: Completer) -> None:
        """Let a function complete a variable; raises `TypeError` if there is no such variable."""


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A resource at one URI or, where the URI has `{variables}` in it, a resource template.

    `ttl` is how long a client may cache what it read (`ttlMs` of 2026-07-28).  A client may subscribe to a resource
    that is `subscribable`; a tool notifies subscribers by `Context.resource_updated`.
    """

    uri: str
    name: str
    description: str
    work: ResourceWork
    mime_type: str | None = None
    title: str | None = None
    ttl: timedelta = timedelta()
    subscribable: bool = False

    def __post_init__(self) -> None:
        """Refuse what no client could ask for; raises `ValueError`."""
        if not urlsplit(self.uri).scheme:
            raise ValueError(f"{self.uri!r} is no address: begin it with a scheme, as in report://{{year}}")
        if re.search(r"[{}]", VARIABLE.sub("", self.uri)):
            raise ValueError(f"{self.uri!r}: a variable is a {{name}}, and nothing more")
        # With several it would be anybody's guess where each ends, and a client could have us guess for minutes.
        if any(len(VARIABLE.findall(segment)) > 1 for segment in re.split("[/?#]", self.uri)):
            raise ValueError(f"{self.uri!r}: one variable is all that a segment can have")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the plain function, as its own tests would."""
        return self.work.function(*args, **kwargs)

    def complete(self, variable: str) -> Callable[[Completer], Completer]:
        """Let the function below complete a variable: it takes what was typed, and a `CompletionContext`."""

        def decorate(completer: Completer) -> Completer:
            self.work.completed_by(variable, completer)
            return completer

        return decorate

    @property
    def is_template(self) -> bool:
        """Tell whether this stands for many addresses."""
        return bool(VARIABLE.search(self.uri))

    def match(self, uri: str) -> Mapping[str, str] | None:
        """Return the variables that make the address this one, or None if none do."""
        found = self._pattern.fullmatch(uri)
        if found is None:
            return None
        try:
            variables = {name: unquote(value, errors="strict") for name, value in found.groupdict().items()}
        except UnicodeDecodeError:
            return None
        return None if any(map(_climbs, variables.values())) else variables

    def read(self, uri: str, variables: Mapping[str, str], context: Context) -> list[dict[str, JSON]]:
        """Return what is at the address, in the protocol's words; raises whatever the function raises."""
        # Saves 7 ms of every cold start: most requests read no resource.
        from mcp_tasks.authoring.contents import resource_contents

        value = self.work.read(variables, context)
        if isinstance(value, str | bytes):
            return [resource_contents(uri, value, self.mime_type)]
        return [resource_contents(uri, json.dumps(value), self.mime_type or "application/json")]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Odd parts are names: the pattern has one group.
        parts = VARIABLE.split(self.uri)
        return re.compile(
            "".join(f"(?P<{part}>[^/?#]+)" if place % 2 else re.escape(part) for place, part in enumerate(parts))
        )


def _climbs(value: str) -> bool:
    """Tell whether a variable is more than one segment: a file's name made of it could lead elsewhere."""
    return value in (".", "..") or bool(re.search(r"[/\\\0]", value))


def resource(
    uri: str,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    mime_type: str | None = None,
    ttl: timedelta = timedelta(),
    subscribable: bool = False,
) -> Callable[[Callable[..., Any]], Resource]:
    """Make the function below what is at an address; its name and docstring are the resource's unless given.

    A `{variable}` in the address stands for one segment, and is an argument of the function, always text.  It returns
    text, bytes or anything that is JSON; `ResourceNotFound` says that there is nothing.
    """
    # Saves pydantic, 50 ms, where the catalogue is read instead of the module.
    from mcp_tasks.features.functions import ResourceFunction

    def decorate(function: Callable[..., Any]) -> Resource:
        return Resource(
            uri=uri,
            name=name or function.__name__,
            title=title,
            description=description or getdoc(function) or "",
            mime_type=mime_type,
            ttl=ttl,
            subscribable=subscribable,
            work=ResourceFunction.of(function, VARIABLE.findall(uri)),
        )

    return decorate


class Resources:
    """The resources of a server, in the order in which they were listed."""

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        """Take the resources; raises `ValueError` when two have one address."""
        self._resources: dict[str, Resource] = {}
        for each in resources:
            if each.uri in self._resources:
                raise ValueError(f"two resources are at {each.uri}")
            self._resources[each.uri] = each

    def __iter__(self) -> Iterator[Resource]:
        """Go through the resources in order, templates included."""
        return iter(self._resources.values())

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self._resources)

    def listed(self, *, templates: bool) -> list[Resource]:
        """Return the resources that are templates, or those that are not."""
        return [each for each in self if each.is_template == templates]

    def named(self, uri: str) -> Resource | None:
        """Return the resource with exactly this address or template."""
        return self._resources.get(uri)

    @property
    def subscribable(self) -> bool:
        """Tell whether clients may hear of changes of any."""
        return any(each.subscribable for each in self)

    def find(self, uri: str) -> tuple[Resource, Mapping[str, str]] | None:
        """Return the first resource at the address, with the variables that make it so."""
        # One that has no variables goes before all templates that its address would fit.
        for each in sorted(self, key=lambda resource: resource.is_template):
            variables = each.match(uri)
            if variables is not None:
                return each, variables
        return None
