"""Who is who in a story, and who may decide what, and from when on, by our own reckoning of what tools ask."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.approvals import Decision
from tests.simulation.deployed.questions import ANYONE, QUESTIONS, Question

ROLES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("grace", "ada", "mia"), frozenset({"finance"})),
    **dict.fromkeys(("ida", "noa"), frozenset({"finance", "cfo"})),
    **dict.fromkeys(("kim", "bob", "lea"), frozenset({"cfo"})),
}
"""Those of each subject that has some."""


def described(caller: Caller, *, roles: bool) -> dict[str, Any]:
    """Return a caller in plain data, with the roles of its subject where a release knows of any."""
    has = {
        "scopes": sorted(caller.scopes),
        "roles": sorted(ROLES.get(caller.subject, ())) if roles else [],
        "actor": caller.actor,
    }
    more = {name: each for name, each in has.items() if each}
    return {"tenant": caller.tenant, "subject": caller.subject, **more}


class Asked(NamedTuple):
    """What a task of an asker asks others under a key, since then and until a deadline."""

    asker: Caller
    task_id: str
    key: str
    since: datetime
    deadline: datetime

    @property
    def question(self) -> Question:
        """What its tool asks."""
        return QUESTIONS[self.key]

    def opens_at(self, audience: str) -> datetime:
        """Return from when on an audience may decide it; `ValueError` for one that is not asked."""
        if audience == self.question.audience:
            return self.since
        if audience == self.question.later:
            return self.since + self.question.waits
        raise ValueError(f"{audience} is not asked for {self.key}")

    def may_decide(self, caller: Caller, audience: str) -> bool:
        """Return whether a caller, as one of an audience, may decide it once that is asked."""
        if caller.tenant != self.asker.tenant or audience not in _audiences_of(caller.subject):
            return False
        question = self.question
        # Where the first audience does not have who asks, neither has the second.
        excludes = question.not_me or (audience == question.later and question.not_me_later)
        return not (excludes and self._is_asker(caller))

    def may_have_decided(self, caller: Caller, at: datetime) -> bool:
        """Return whether a caller may have decided it at a time, as one of whatever audience was asked by then."""
        audiences = filter(None, (self.question.audience, self.question.later))
        return any(self.opens_at(each) <= at and self.may_decide(caller, each) for each in audiences)

    def _is_asker(self, caller: Caller) -> bool:
        return bool(people_of(self.asker) & people_of(caller))


def _audiences_of(subject: str) -> set[str]:
    return {ANYONE, f"subject:{subject}", *(f"role:{each}" for each in ROLES.get(subject, ()))}


def people_of(one: Caller | Decision) -> set[str]:
    """Return a subject, and all who act for it."""
    return {one.subject, *_actors(one.actor)}


def _actors(actor: Mapping[str, Any] | None) -> Iterator[str]:
    while actor is not None:
        yield actor["sub"]
        actor = actor.get("act")
