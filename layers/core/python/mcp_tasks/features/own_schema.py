"""Tools that bring the JSON Schema of their arguments, for what no signature can say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from referencing import Registry

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.authoring.header import mirrored
from mcp_tasks.features.linear import LinearValidator
from mcp_tasks.features.signature import Signature
from mcp_tasks.limits.requests import MAX_ERRORS_EXAMINED
from mcp_tasks.tasks.model import JSON, Returned

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class OwnSchema:
    """A function that takes its arguments whole, as one mapping, and their schema, which clients see as it is."""

    signature: Signature
    input_schema: Mapping[str, JSON]

    def __post_init__(self) -> None:
        """Refuse at import what no client could call; raises `TypeError`."""
        name = self.function.__qualname__
        if len(self.signature.parameters) != 1:
            raise TypeError(f"{name}: with a schema of its own, a tool takes its arguments as one mapping")
        if self.input_schema.get("type") != "object" or self.input_schema.get("$schema", DIALECT) != DIALECT:
            raise TypeError(f"{name}: the schema is of type object, in the dialect {DIALECT}")
        try:
            Draft202012Validator.check_schema(self.input_schema)
        except SchemaError as error:
            raise TypeError(f"{name}: no JSON Schema: {error.message}") from error
        mirrored(self.input_schema)

    @property
    def function(self) -> Callable[..., Any]:
        """The plain function; see `Work`."""
        return self.signature.function

    @property
    def output_schema(self) -> Mapping[str, JSON] | None:
        """The schema of a structured result; see `Work`."""
        return self.signature.output_schema

    def check(self, arguments: Mapping[str, JSON]) -> dict[str, Any]:
        """Return the arguments as the function wants them; raises `BadArguments`."""
        # An empty registry: a reference to somewhere else is an error, and is never fetched.
        validator = LinearValidator(self.input_schema, registry=Registry())
        fault = best_match(islice(validator.iter_errors(arguments), MAX_ERRORS_EXAMINED))
        if fault is not None:
            where = ".".join(str(part) for part in fault.absolute_path) or "arguments"
            raise BadArguments(f"{where}: {fault.message}")
        return {self.signature.parameters[0]: arguments}

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Call the function; see `Work`."""
        return self.returned(self.signature.invoke(self.check(arguments), context))

    def returned(self, value: Any) -> Returned:
        """Say what was returned; see `Work`."""
        return self.signature.returned(value)
