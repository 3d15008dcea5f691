"""What a planted bug is, and the simplest ones."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, NamedTuple

from tests.simulation.traits import MEMORY

ENOUGH = 300
"""Stories, within which nearly every planted bug is found."""


NONE_SHOWN: Final = "is shown as none of its versions was"

DAY: Final = timedelta(days=1)


class Change(NamedTuple):
    """What stands in `place` of the function, or of the value, of this name."""

    place: Any
    name: str
    make: Callable[[Any], Any]
    """Takes what is right and returns what is wrong."""


class Plant(NamedTuple):
    """A bug: what is changed, and what the first violation says of it; `kept` says in which stories it shows.

    It shows `within` so many of them, of which the slow tests alone have more than others.
    """

    bug: str
    place: Any
    name: str
    make: Callable[[Any], Any]
    found: str
    kept: str = MEMORY
    beside: tuple[Change, ...] = ()
    within: int = ENOUGH

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return all that is changed."""
        return (Change(self.place, self.name, self.make), *self.beside)


def changing(**changes: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what changes some fields of what the right function returns, if that is anything."""

    def make(right: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(*values: Any, **named: Any) -> Any:
            made = right(*values, **named)
            if made is None:
                return None
            return made._replace(**changes) if hasattr(made, "_replace") else replace(made, **changes)

        return wrong

    return make


def always(answer: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda right: lambda *values, **named: answer


def backwards(page: Callable[..., Any]) -> Callable[..., Any]:
    """Return what returns a page the other way round."""

    def wrong(*values: Any, **named: Any) -> Any:
        found, more = page(*values, **named)
        return [*reversed(found)], more

    return wrong


def saying(**more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what says something more, or something else, in the JSON that the right function returns."""
    return lambda right: lambda *values, **named: {**right(*values, **named), **more}


def without(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what leaves some fields out of the params that the right function returns, or that it returns as JSON."""

    def make(right: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(*values: Any, **named: Any) -> dict[str, Any]:
            made = dict(right(*values, **named))
            if "params" in made:
                made["params"] = {name: value for name, value in made["params"].items() if name not in names}
            return {name: value for name, value in made.items() if name not in names}

        return wrong

    return make
