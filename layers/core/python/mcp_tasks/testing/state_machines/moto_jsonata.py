"""What moto needs to evaluate JSONata: a library in place of the JVM that it does not ship, and AWS's own functions.

Pinned like everything in `moto_patches`.
"""

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from math import floor
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from jsonata import Jsonata
from jsonata.jexception import JException
from moto.stepfunctions.parser.asl.component.common.string import string_expression
from moto.stepfunctions.parser.asl.eval import states, variable_store
from moto.stepfunctions.parser.asl.jsonata import jsonata
from moto.stepfunctions.parser.asl.utils.encoding import to_json_str


def jsonata_patches() -> Iterator[AbstractContextManager[Any]]:
    """Yield the patches."""
    yield patch.object(jsonata, "_eval_jsonata", _evaluate)
    # Moto has texts that say "currently not supported" for some of AWS's functions, and its own idea of others.
    yield patch.object(string_expression, "get_intrinsic_functions_declarations", lambda **references: "")
    # It writes the text of a variable between quotes as it stands.
    for module in (states, variable_store):
        yield patch.object(module, "encode_jsonata_variable_declarations", _declarations)


def _evaluate(expression: str) -> Any:
    try:
        parsed = Jsonata(expression)
        for name, function in FUNCTIONS.items():
            parsed.register_lambda(name, function)
        # By way of JSON, because the library leaves an escaped pair of surrogates in two halves.
        return json.loads(json.dumps(parsed.evaluate(None)))
    except JException as error:
        raise jsonata.JSONataException(str(error.error), str(error)) from error


def _declarations(bindings: Mapping[str, Any]) -> str:
    # What moto itself writes for all but texts.
    return "".join(f"{name}:={to_json_str(value, separators=(',', ':'))};" for name, value in bindings.items())


def _partition(array: list[Any], size: float) -> list[list[Any]]:
    return [array[start : start + floor(size)] for start in range(0, len(array), floor(size))]


def _range(first: float, last: float, step: float) -> list[int]:
    first, last, step = floor(first), floor(last), floor(step)
    return list(range(first, last + (1 if step > 0 else -1), step))


def _hash(text: str, algorithm: str) -> str:
    return hashlib.new(algorithm.replace("-", "").lower(), text.encode(), usedforsecurity=False).hexdigest()


def _random(seed: float | None = None) -> float:
    return random.random() if seed is None else random.Random(floor(seed)).random()


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "partition": _partition,
    "range": _range,
    "hash": _hash,
    "random": _random,
    "uuid": lambda: str(uuid4()),
    "parse": json.loads,
}
"""The functions that Step Functions adds to JSONata."""
