"""Counts who has accepted an approval: those who gave one answer, each of other people; pure, no I/O."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mcp_tasks.tasks.approvals import ACCEPT, Decision, agree, key_of
from mcp_tasks.tasks.inbox import Decisions
from mcp_tasks.tasks.model import JSON


def answer_of(schema: Mapping[str, JSON], content: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the content of a form as it is compared: with the defaults of its fields, and 5 in place of 5.0.

    The tool's form fills in the same defaults.  Anything else that differs is another answer.
    """
    fields = schema.get("properties")
    known = fields.items() if isinstance(fields, Mapping) else ()
    defaults = {name: each["default"] for name, each in known if isinstance(each, Mapping) and "default" in each}
    # By the reader of JSON, which goes as deep as the check of the form did.
    answer: dict[str, JSON] = json.loads(json.dumps({**defaults, **content}), parse_float=_number)
    return answer


def agreeing(accepted: Decisions, mine: Decision) -> Decisions:
    """Return a decision after those that count with it: they gave the same answer, and nobody acted in two of them."""
    others = (each for each in accepted if agree(each, mine))
    return (*_of_different_people(others, mine.people), mine)


def most_agreeing(accepted: Decisions) -> int:
    """Return how many of those who accepted count together, at most."""
    unknown = [each for each in accepted if each.content is None]
    answers: dict[str, list[Decision]] = {"": unknown}
    for each in accepted:
        if each.content is not None:
            answers.setdefault(key_of(each), [*unknown]).append(each)
    return max(len(_of_different_people(each, frozenset())) for each in answers.values())


def answers(accepted: Decisions) -> int:
    """Return how many different answers were given by those who accepted."""
    return len({key_of(each) for each in accepted if each.content is not None})


def counted(decisions: Decisions) -> int:
    """Return how many of all decisions, of which the last decided, count together for it, or counted before it."""
    *before, last = decisions
    return len(agreeing(tuple(before), last)) if last.action == ACCEPT else most_agreeing(tuple(before))


def _of_different_people(decisions: Iterable[Decision], known: frozenset[str]) -> list[Decision]:
    """Return those in which nobody acts who is known, or acted in one before."""
    found: list[Decision] = []
    for each in decisions:
        if known.isdisjoint(each.people):
            known |= each.people
            found.append(each)
    return found


def _number(text: str) -> Any:
    number = float(text)
    return int(number) if number.is_integer() else number
