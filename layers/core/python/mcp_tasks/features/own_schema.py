"""Tools with an `input_schema` of their own, for what a signature cannot express."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from jsonschema_specifications import REGISTRY as SPECIFICATIONS  # type: ignore[import-untyped]  # it has no stubs
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.authoring.header import header_arguments
from mcp_tasks.features.linear import LinearValidator
from mcp_tasks.features.signature import Signature
from mcp_tasks.limits.requests import MAX_ERRORS_EXAMINED
from mcp_tasks.tasks.model import JSON, Returned

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class OwnSchema:
    """A `Work` whose function takes all arguments as one mapping, checked against the schema that clients see."""

    signature: Signature
    input_schema: Mapping[str, JSON]

    def __post_init__(self) -> None:
        """Raise `TypeError`, at import, for a schema that is invalid or that the function does not fit."""
        name = self.function.__qualname__
        if len(self.signature.parameters) != 1:
            raise TypeError(f"{name}: with a schema of its own, a tool takes its arguments as one mapping")
        if self.signature.extra_arguments != "refuse":
            raise TypeError(f"{name}: input_schema says which arguments there may be: leave out extra_arguments")
        if not isinstance(self.input_schema, Mapping):
            raise TypeError(f"{name}: input_schema is a dict, such as {{'type': 'object'}}, not {self.input_schema!r}")
        if self.input_schema.get("type") != "object" or self.input_schema.get("$schema", DIALECT) != DIALECT:
            raise TypeError(f"{name}: the schema is of type object, in the dialect {DIALECT}")
        try:
            Draft202012Validator.check_schema(self.input_schema)
            _check_references(self.input_schema)
        except SchemaError as error:
            raise TypeError(f"{name}: no JSON Schema: {error.message}") from error
        except Unresolvable as error:
            raise TypeError(f"{name}: the schema refers to {error.ref!r}, which is not in it") from None
        except RecursionError:
            raise TypeError(f"{name}: the schema is nested too deeply") from None
        header_arguments(self.input_schema)

    @property
    def function(self) -> Callable[..., Any]:
        """The undecorated function, for tests that call it directly."""
        return self.signature.function

    @property
    def output_schema(self) -> Mapping[str, JSON] | None:
        """The JSON Schema of a structured result, or None where the result is text."""
        return self.signature.output_schema

    def check(self, arguments: Mapping[str, JSON]) -> dict[str, Any]:
        """Return the arguments as the function takes them; raises `BadArguments`."""
        # With an empty registry a remote `$ref` is an error, and is never fetched.
        validator = LinearValidator(self.input_schema, registry=Registry())
        fault = best_match(islice(validator.iter_errors(arguments), MAX_ERRORS_EXAMINED))
        if fault is not None:
            where = ".".join(str(part) for part in fault.absolute_path) or "arguments"
            raise BadArguments(f"{where}: {fault.message}")
        return {self.signature.parameters[0]: arguments}

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Check the arguments and call the function; raises `BadArguments` and whatever the function raises."""
        return self.returned(self.signature.invoke(self.check(arguments), context))

    def returned(self, value: Any) -> Returned:
        """Return a value as a `CallToolResult`; raises `BadResult`."""
        return self.signature.returned(value)


def _check_references(schema: Mapping[str, JSON]) -> None:
    """Raise `Unresolvable` for a reference to what is not in the schema: nothing is fetched from elsewhere."""
    resource = DRAFT202012.create_resource(schema)
    base = resource.id() or ""
    _check_part(resource, SPECIFICATIONS.with_resource(base, resource).resolver(base))


def _check_part(part: Resource[JSON], resolver: Any) -> None:
    for keyword in ("$ref", "$dynamicRef"):
        if isinstance(part.contents, Mapping) and keyword in part.contents:
            resolver.lookup(part.contents[keyword])
    for each in part.subresources():
        _check_part(each, resolver.in_subresource(each))
