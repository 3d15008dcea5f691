"""Resources and resource templates: functions that return what is at a URI, and the resources of a server."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from inspect import getdoc
from typing import Any, Final, Protocol
from urllib.parse import quote, unquote, urlsplit

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.durations import check_durations
from mcp_tasks.authoring.text import JsonString
from mcp_tasks.features.completion import Completer, CompletionContext
from mcp_tasks.features.definition import check_called, check_function, check_texts, entries, given
from mcp_tasks.limits.waits import LONGEST_SPAN
from mcp_tasks.security.scopes import check_scopes
from mcp_tasks.tasks.model import JSON

VARIABLE: Final = re.compile(r"\{(\w+)\}")
ESCAPED_VARIABLE: Final = re.compile("%7B.*?%7D")
"""A variable in a normalised URI, where braces are escaped."""


class ResourceWork(Protocol):
    """The code of a resource: a function with its signature, or an entry of the catalogue that imports it lazily."""

    @property
    def function(self) -> Callable[..., Any]:
        """The undecorated function, for tests that call it directly."""

    def read(self, variables: Mapping[str, str], context: Context) -> Any:
        """Return the text, bytes or JSON that the function returns; raises `BadArguments`, `BadResult` and its own."""

    def complete(self, variable: str, typed: str, context: CompletionContext) -> list[str]:
        """Return suggested values for a variable."""

    def completed_by(self, variable: str, completer: Completer) -> None:
        """Register the completer of a variable; raises `TypeError` if there is no such variable."""


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A resource at one URI or, where the URI has `{variables}` in it, a resource template.

    `ttl` is how long a client may cache what it read (`ttlMs` of 2026-07-28).  A client may subscribe to a resource
    that is `subscribable`; a tool notifies subscribers by `Context.resource_updated`.  `scopes` are the OAuth scopes
    that a caller needs, all of them, to read it and to subscribe to it; a `{variable}` of the URI stands in them for
    its value.
    """

    uri: str
    name: str
    description: str
    work: ResourceWork
    mime_type: str | None = None
    title: str | None = None
    ttl: timedelta = timedelta()
    subscribable: bool = False
    scopes: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raise `ValueError` for a URI without a scheme, or with variables that cannot be matched; or `TypeError`."""
        check_durations(self.uri, longest=LONGEST_SPAN, ttl=self.ttl)
        optional = given(title=self.title, description=self.description or None, mime_type=self.mime_type)
        check_texts(self.uri, name=self.name, **optional)
        check_scopes(self.uri, self.scopes)
        check_template(self.uri)
        for unknown in set(VARIABLE.findall(" ".join(self.scopes))) - set(self.variables):
            raise ValueError(f"{self.uri}: scopes name {{{unknown}}}, which is no variable of the URI")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the undecorated function, as a unit test would."""
        return self.work.function(*args, **kwargs)

    def complete(self, variable: str) -> Callable[[Completer], Completer]:
        """Decorate the completer of a variable: a function of the typed text and a `CompletionContext`."""

        def decorate(completer: Completer) -> Completer:
            self.work.completed_by(variable, completer)
            return completer

        return decorate

    @property
    def is_template(self) -> bool:
        """Whether the URI has variables, so that this is a resource template."""
        return bool(VARIABLE.search(self.uri))

    @cached_property
    def variables(self) -> list[str]:
        """The names of the variables in the URI, in its order."""
        return VARIABLE.findall(self.uri)

    def fits(self, normalised: str) -> bool:
        """Return whether a normalised URI matches, whatever the values of the variables are."""
        return self._pattern.fullmatch(normalised) is not None

    def match(self, normalised: str) -> Mapping[str, str] | None:
        """Return the values of the variables in a normalised URI that this resource matches, or None if it does not.

        Clients percent-encode what a server lists, so that the URI of the resource is compared in that form, too.
        """
        found = self._pattern.fullmatch(normalised)
        if found is None:
            return None
        try:
            values = [unquote(value, errors="strict") for value in found.groups()]
        except UnicodeDecodeError:
            return None
        return None if any(map(_climbs, values)) else dict(zip(self.variables, values, strict=True))

    def scopes_for(self, variables: Mapping[str, str]) -> list[str]:
        """Return the scopes that a caller needs for what is at the URI with these values of its variables."""
        # In percent-encoding every value can be part of a scope, and two values never make the same one.
        return [VARIABLE.sub(lambda found: quote(variables[found[1]], safe=""), scope) for scope in self.scopes]

    def read(self, uri: str, variables: Mapping[str, str], context: Context) -> list[dict[str, JSON]]:
        """Return the `contents` of `resources/read`; raises what reading raises."""
        # Saves 7 ms of every cold start: most requests read no resource.
        from mcp_tasks.authoring.contents import resource_contents

        value = self.work.read(variables, context)
        if isinstance(value, str | bytes) and not isinstance(value, JsonString):
            return [resource_contents(uri, value, self.mime_type)]
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return [resource_contents(uri, text, self.mime_type or "application/json")]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("([^/?#]+)".join(map(re.escape, ESCAPED_VARIABLE.split(_normalised(self.uri)))))


def check_template(uri: str) -> None:
    """Raise `ValueError` for a URI without a scheme, or with variables that cannot be matched."""
    if not urlsplit(uri).scheme:
        raise ValueError(f"{uri!r} is not a URI: begin it with a scheme, as in report://{{year}}")
    if re.search(r"[{}]", VARIABLE.sub("", uri)):
        rest = "such as {+path}, {?query} or {list*}"
        raise ValueError(f"{uri!r}: a variable is a {{name}}, and nothing more of RFC 6570, {rest}")
    # Two in a segment would be ambiguous, and matching them could backtrack for minutes.
    if any(len(VARIABLE.findall(segment)) > 1 for segment in re.split("[/?#]", uri)):
        raise ValueError(f"{uri!r}: one variable is all that a segment can have")


def _normalised(uri: str) -> str:
    # Saves a module of every cold start: most requests name no resource.
    from mcp_tasks.authoring.uris import normalised

    return normalised(uri)


def _climbs(value: str) -> bool:
    """Return whether a value could leave its segment: used as a file's name, it could name another folder."""
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
    scopes: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Resource]:
    """Decorate a function as a resource; name and description default to those of the function and its docstring.

    A `{variable}` in the URI matches one segment, and is an argument of the function, always text.  The function
    returns text, bytes or JSON, or raises `ResourceNotFound`.
    """
    if not isinstance(uri, str):
        check_called("resource", uri, '@resource("report://{year}")')
    # Saves pydantic, 50 ms, where the catalogue is read instead of the module.
    from mcp_tasks.authoring.uris import check_uri
    from mcp_tasks.features.functions import ResourceFunction

    def decorate(function: Callable[..., Any]) -> Resource:
        check_function("resource", function)
        check_template(uri)
        check_uri(VARIABLE.sub("x", uri))
        return Resource(
            uri=uri,
            name=name or function.__name__,
            title=title,
            description=description or getdoc(function) or "",
            mime_type=mime_type,
            ttl=ttl,
            subscribable=subscribable,
            scopes=scopes,
            work=ResourceFunction.of(function, VARIABLE.findall(uri)),
        )

    return decorate


class Resources:
    """The resources of a server, in the order in which they were listed."""

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        """Collect resources; raises `TypeError` for what is none, and `ValueError` when two have the same URI."""
        self._resources: dict[str, Resource] = {}
        for each in entries("RESOURCES", resources, Resource, "@resource(uri)"):
            if each.uri in self._resources:
                raise ValueError(f"two resources are at {each.uri}")
            self._resources[each.uri] = each

    def __iter__(self) -> Iterator[Resource]:
        """Iterate over resources and templates in the order in which they are listed."""
        return iter(self._resources.values())

    def __bool__(self) -> bool:
        """Return whether the server has resources."""
        return bool(self._resources)

    def listed(self, *, templates: bool) -> list[Resource]:
        """Return the templates, or the resources that are none."""
        return [each for each in self if each.is_template == templates]

    def with_uri(self, uri: str) -> Resource | None:
        """Return the resource or template that has this very URI, or None."""
        return self._by_spelling.get(_normalised(uri))

    def check_spellings(self) -> None:
        """Raise `ValueError` where two resources have URIs that are spellings of one."""
        found: dict[str, Resource] = {}
        for each in self:
            if (other := found.setdefault(_normalised(each.uri), each)) is not each:
                raise ValueError(f"two resources are at {each.uri}, which is {other.uri} in another spelling")

    @cached_property
    def _by_spelling(self) -> Mapping[str, Resource]:
        return {_normalised(each.uri): each for each in self}

    @property
    def subscribable(self) -> bool:
        """Whether clients can subscribe to at least one of them."""
        return any(each.subscribable for each in self)

    def find(self, uri: str) -> tuple[Resource, Mapping[str, str]] | None:
        """Return the resource that a URI matches, with the values of its variables, or None."""
        # Once for all resources: a long URI takes a millisecond.
        normalised = _normalised(uri)
        # A resource without variables takes precedence over templates that match its URI.
        for each in sorted(self, key=lambda resource: resource.is_template):
            variables = each.match(normalised)
            if variables is not None:
                return each, variables
        return None

    def fits(self, uri: str) -> bool:
        """Return whether a URI is of a template, though not with these values of its variables."""
        normalised = _normalised(uri)
        return any(each.fits(normalised) for each in self.listed(templates=True))
