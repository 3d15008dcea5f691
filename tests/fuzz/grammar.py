"""Draws values that are valid by a JSON schema."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

KNOWN: Final = 0.8
"""How often a field is given a value that means something to the server, if there is one."""

OPTIONAL: Final = 0.4
"""How often an optional field is there."""

DEEPEST: Final = 6
"""From this depth on, only what is required is there."""

WORDS: Final = ("", "a", "tides", "été", "note://été", "0", "null", "\N{GRINNING FACE}", "a b", "x" * 300)
NUMBERS: Final = (0, 1, -1, 2, 7, 60_000, 0.5, 1e300, 2**53, -(2**63))

Known = Callable[[str], Sequence[Any]]
"""Returns the values that mean something to the server in the field of this name."""


class Grammar:
    """The values of a schema's definitions, drawn by chance."""

    def __init__(self, definitions: Mapping[str, Any], random: Random, known: Known = lambda field: ()) -> None:
        self._definitions = definitions
        self._random = random
        self._known = known

    def has(self, name: str) -> bool:
        """Return whether there is a definition of this name."""
        return name in self._definitions

    def draw(self, name: str) -> Any:
        """Return a value of the definition of this name."""
        return self.of(self._definitions[name])

    def of(self, schema: Any, depth: int = 0) -> Any:
        """Return a value of a schema."""
        if not isinstance(schema, dict) or depth > 2 * DEEPEST:
            return self.anything(depth)
        if "$ref" in schema:
            return self.of(self._definitions[schema["$ref"].rpartition("/")[2]], depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self.of(self._random.choice(schema[several]), depth)
        if "allOf" in schema:
            return {key: value for part in schema["allOf"] for key, value in self.of(part, depth).items()}
        return self._of_type(schema, depth)

    def anything(self, depth: int = 0) -> Any:
        """Return any JSON."""
        simple: list[Callable[[], Any]] = [
            lambda: None,
            lambda: self._random.choice((True, False)),
            lambda: self._random.choice(NUMBERS),
            lambda: self._random.choice(WORDS),
        ]
        if depth < DEEPEST:
            several = range(self._random.randint(0, 2))
            simple += [
                lambda: [self.anything(depth + 1) for _ in several],
                lambda: {self._random.choice(WORDS): self.anything(depth + 1) for _ in several},
            ]
        return self._random.choice(simple)()

    def _of_type(self, schema: Mapping[str, Any], depth: int) -> Any:
        kind = schema.get("type", "object" if "properties" in schema else None)
        match self._random.choice(kind) if isinstance(kind, list) else kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                most = 0 if depth > DEEPEST else self._random.randint(0, 3)
                count = max(schema.get("minItems", 0), most)
                return [self.of(schema.get("items"), depth + 1) for _ in range(count)]
            case "string":
                return self._random.choice(WORDS)
            case "integer":
                return int(self._random.choice(NUMBERS[:6]))
            case "number":
                return self._random.choice(NUMBERS)
            case "boolean":
                return self._random.choice((True, False))
            case "null":
                return None
            case _:
                return self.anything(depth)

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        fields = schema.get("properties", {})
        required = schema.get("required", ())
        there = [name for name in fields if name in required or (depth <= DEEPEST and self._random.random() < OPTIONAL)]
        made = {name: self._field(name, fields[name], depth + 1) for name in there}
        more = schema.get("additionalProperties")
        if isinstance(more, dict) and depth <= DEEPEST:
            keys = [*self._known("inputResponses"), *WORDS[1:3]]
            made |= {self._random.choice(keys): self.of(more, depth + 1) for _ in range(self._random.randint(0, 2))}
        return made

    def _field(self, name: str, schema: Any, depth: int) -> Any:
        known = self._known(name)
        is_fixed = isinstance(schema, dict) and "const" in schema
        if known and not is_fixed and self._random.random() < KNOWN:
            return self._random.choice(known)
        return self.of(schema, depth)
