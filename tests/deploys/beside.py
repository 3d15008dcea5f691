"""Has two releases of a deployed stack answer side by side, as during a canary, or until a deploy is everywhere."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from local.stack import Stack
from tests.deploys.evidence import functions

ALIAS: Final = "live"
HALF: Final = 0.5


def held(stack: Stack) -> Mapping[str, str]:
    """Return the version that the alias of each function leads to."""
    lambdas, named = stack.client("lambda"), [each.name for each in functions(stack).values()]
    return {name: lambdas.get_alias(FunctionName=name, Name=ALIAS)["FunctionVersion"] for name in named}


@contextmanager
def beside(stack: Stack, earlier: Mapping[str, str]) -> Iterator[None]:
    """Have half of the invocations of each function go to the version that its alias led to before.

    A function that only the earlier release has is gone.
    """
    both = earlier.keys() & held(stack).keys()
    _route(stack, {name: {earlier[name]: HALF} for name in both})
    yield
    _route(stack, {name: {} for name in both})


def _route(stack: Stack, weights: Mapping[str, Mapping[str, float]]) -> None:
    lambdas: Any = stack.client("lambda")
    for name, more in weights.items():
        lambdas.update_alias(FunctionName=name, Name=ALIAS, RoutingConfig={"AdditionalVersionWeights": more})
