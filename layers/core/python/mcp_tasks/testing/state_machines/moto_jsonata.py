"""What moto needs to evaluate JSONata: a library in place of the JVM that it does not ship, and AWS's own functions.

Pinned like everything in `moto_patches`.
"""

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timezone
from math import floor
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from jsonata import Jsonata
from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import StatesErrorNameType
from moto.stepfunctions.parser.asl.component.common.string import string_expression
from moto.stepfunctions.parser.asl.component.state import state
from moto.stepfunctions.parser.asl.component.state.exec import execute_state
from moto.stepfunctions.parser.asl.eval import states, variable_store
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.jsonata import jsonata
from moto.stepfunctions.parser.asl.utils.encoding import to_json_str


def jsonata_patches(now: Callable[[], datetime]) -> Iterator[AbstractContextManager[Any]]:
    """Yield the patches; expressions read the time from `now`."""
    yield patch.object(jsonata, "_eval_jsonata", _evaluator(now))
    # When a state was entered, which expressions compare with the time.
    yield patch.object(state, "datetime", SimpleNamespace(datetime=_Now(now), timezone=timezone))
    # What cannot be evaluated is a `States.Runtime` in moto.
    yield patch.object(string_expression.StringJSONata, "_eval_body", _named_as_aws_does())
    # Its failure is one of the state, whose own Retry and Catch see it; in moto they are over then.
    yield patch.object(execute_state.ExecutionState, "_evaluate_with_timeout", _with_output())
    # Moto has texts that say "currently not supported" for some of AWS's functions, and its own idea of others.
    yield patch.object(string_expression, "get_intrinsic_functions_declarations", lambda **references: "")
    # It writes the text of a variable between quotes as it stands.
    for module in (states, variable_store):
        yield patch.object(module, "encode_jsonata_variable_declarations", _declarations)


class _Now:
    """What moto uses of `datetime.datetime`, on another clock."""

    def __init__(self, read: Callable[[], datetime]) -> None:
        self._read = read

    def now(self, tz: timezone) -> datetime:
        """Return the time."""
        return self._read().astimezone(tz)


def _evaluator(now: Callable[[], datetime]) -> Callable[[str], Any]:
    functions = {**FUNCTIONS, "millis": lambda: floor(now().timestamp() * 1000)}

    def evaluate(expression: str) -> Any:
        try:
            parsed = Jsonata(expression)
            for name, function in functions.items():
                parsed.register_lambda(name, function)
            # By way of JSON, because the library leaves an escaped pair of surrogates in two halves.
            return json.loads(json.dumps(parsed.evaluate(None)))
        except Exception as error:
            # The library's own, and Python's: of a division by zero, for one.
            raise jsonata.JSONataException(str(getattr(error, "error", error)), str(error)) from error

    return evaluate


def _named_as_aws_does() -> Callable[..., None]:
    evaluate = string_expression.StringJSONata._eval_body

    def evaluate_or_fail(text: string_expression.StringJSONata, env: Environment) -> None:
        try:
            evaluate(text, env)
        except jsonata.JSONataException as error:
            name = StatesErrorName(typ=StatesErrorNameType.StatesQueryEvaluationError)
            cause = f"The JSONata expression '{text.expression}' threw an error during evaluation. {error.details}"
            details: Any = {"evaluationFailedEventDetails": {"error": name.error_name, "cause": cause}}
            kind = HistoryEventType.EvaluationFailed
            raise FailureEventException(
                FailureEvent(env=env, error_name=name, event_type=kind, event_details=details)
            ) from error

    return evaluate_or_fail


def _with_output() -> Callable[..., None]:
    evaluate = execute_state.ExecutionState._evaluate_with_timeout

    def evaluate_with_output(of: execute_state.ExecutionState, env: Environment) -> None:
        evaluate(of, env)
        if of.output:
            # Moto evaluates it again, and keeps that.
            of.output.jsonata_template_value.eval(env)
            env.stack.pop()

    return evaluate_with_output


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
