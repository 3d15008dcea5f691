"""Approvals: what waits for a caller in the inbox of its tenant, what it decides of it, and what was decided lately.

    decided by                 what is written
    one who is not the last    the inbox item: one more has accepted, with this answer
    the last, or a decline     one transaction: the item goes, who decided it is kept, and the task has its response

The last is the one by whom as many have given one answer as the quorum says (`tasks/quorum.py`).  Nobody decides in
two roles: neither a subject nor who acts for it is one of the asker, where that is excluded, or of who has accepted.

Whoever comes second is told who decided, and when.  What a caller may not answer looks to it like nothing at all.
"""

import heapq
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple, TypeAlias

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.engine.current_call import note_event
from mcp_tasks.engine.entitlement import acts_for_nobody, audiences_of, decision, entitles, has_accepted, is_asker
from mcp_tasks.engine.readable_approvals import page_of
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.limits.tools import MAX_ACCEPTED_CHARACTERS
from mcp_tasks.limits.waits import MAX_WRITE_ATTEMPTS
from mcp_tasks.ports import Ports
from mcp_tasks.ports.inbox import Inbox
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.approval_documents import document_of_decision
from mcp_tasks.tasks.approvals import ACCEPT, Decision
from mcp_tasks.tasks.errors import IllegalTransition, StaleTask, TaskNotFound
from mcp_tasks.tasks.inbox import DecidedItem, Decisions, InboxItem, audience_of
from mcp_tasks.tasks.model import JSON, InputResponse, Task
from mcp_tasks.tasks.quorum import agreeing, answers, counted
from mcp_tasks.tasks.stored_bytes import size_of

MakeLink: TypeAlias = Callable[[Caller, str, datetime | None], str]
"""Returns an address of an approval, by which whoever has it decides that as a caller, until then; or after a login."""


class ApprovalNotFound(Exception):
    """Nothing of this id waits for the caller: unknown, over, withdrawn and another audience's look alike."""


class OwnApproval(Exception):
    """The caller asks this itself, or who acts for it does, and somebody else has to decide it.

    `may_alone` says that the subject may, where nobody acts for it.
    """

    def __init__(self, item_id: str, *, may_alone: bool = False) -> None:
        super().__init__(item_id)
        self.may_alone = may_alone


class AcceptedByActor(Exception):
    """Who acts for the caller, or the caller itself, has accepted it for another; `may_alone` is as above."""

    def __init__(self, item_id: str, *, may_alone: bool) -> None:
        super().__init__(item_id)
        self.may_alone = may_alone


class _Overtaken(Exception):
    """Others accepted meanwhile, and the decision is another than it was."""


class AlreadyDecided(Exception):
    """It was decided before, by somebody else or in another way."""

    def __init__(self, item: DecidedItem) -> None:
        """Keep all decisions, of which the last one decided, and how many had to accept."""
        super().__init__(f"decided by {item.decisions[-1].subject}")
        self.decisions, self.quorum = item.decisions, item.approval.quorum


class LinkUsed(Exception):
    """A tab has exchanged the link of the caller, which is good for nothing else any more."""


class Decided(NamedTuple):
    """What became of a decision: how many have accepted the same of how many, and whether it is all decided now.

    `answers` is how many different ones were accepted, as long as it is not.  One that is not `is_new` was there
    before, from the same caller: nothing has changed, the form as filled in neither.
    """

    accepted: int
    quorum: int
    is_over: bool
    is_new: bool = True
    answers: int = 1


@record
class Approvals:
    """Shows callers what waits for them, and takes their decisions."""

    ports: Ports
    suspension: Suspension

    def page(self, caller: Caller, *, after: str = "", limit: int) -> tuple[Sequence[InboxItem], str | None]:
        """Return what waits for the caller, the oldest first, and after which place more may, or None.

        What the caller has accepted waits for others alone.  Callers who cannot be told apart are shown nothing, and
        neither is who holds a link: its one approval is found by its id.
        """
        if not caller.identified or caller.approval is not None:
            return [], None
        note_event("approvals.listed", "")
        tenant = tenant_of(caller.owner_key)
        found = [self._inbox.items(tenant, each, after=after, limit=limit + 1) for each in audiences_of(caller)]

        def waits(item: InboxItem) -> bool:
            return _is_entitled(caller, item) and not has_accepted(caller, item.accepted)

        return page_of(heapq.merge(*found, key=_place), waits, limit)

    def history(self, caller: Caller, *, before: str = "", limit: int) -> tuple[Sequence[DecidedItem], str | None]:
        """Return what was decided in the last day of what the caller could have decided, the last asked first.

        The place is the one before which there may be more.
        """
        if not caller.identified or caller.approval is not None:
            return [], None
        note_event("approvals.listed", "")
        tenant = tenant_of(caller.owner_key)
        found = [self._inbox.history(tenant, each, before=before, limit=limit + 1) for each in audiences_of(caller)]
        return page_of(heapq.merge(*found, key=_place, reverse=True), partial(_is_entitled, caller), limit)

    def find(self, caller: Caller, item_id: str) -> InboxItem:
        """Return what waits for the caller under an id.

        Raises `LinkUsed`, whatever became of the approval, `ApprovalNotFound`, `OwnApproval` and `AlreadyDecided`.
        """
        if caller.link is not None and self._inbox.is_link_used(tenant_of(caller.owner_key), caller.link):
            raise LinkUsed
        tenant = tenant_of(caller.owner_key)
        if not _may_name(caller, item_id):
            raise ApprovalNotFound(item_id)
        item = self._inbox.find(tenant, item_id) or self._inbox.decided(tenant, item_id)
        if item is None:
            raise ApprovalNotFound(item_id)
        if item.approval.audience.not_asker and is_asker(caller, item.owner_key, item.actor):
            # It is not told either who has decided since.
            alone = acts_for_nobody(caller)
            raise OwnApproval(item_id, may_alone=not is_asker(alone, item.owner_key, item.actor))
        if isinstance(item, DecidedItem):
            raise AlreadyDecided(item)
        return item

    def find_decided(self, caller: Caller, item_id: str) -> DecidedItem:
        """Return the approval of that id in the caller's `history`; raises `ApprovalNotFound`."""
        # As in `history`, the holder of a link is shown nothing that was decided.
        may_be = caller.approval is None and _may_name(caller, item_id)
        item = self._inbox.decided(tenant_of(caller.owner_key), item_id) if may_be else None
        if item is None or not _is_entitled(caller, item):
            raise ApprovalNotFound(item_id)
        note_event("approvals.listed", "")
        return item

    def now(self) -> datetime:
        """Return the time by which approvals end."""
        return self.ports.clock.now()

    def use_link(self, caller: Caller, nonce: str) -> None:
        """Keep that a tab, by its nonce, exchanges the link of the caller; raises `LinkUsed` where one has."""
        assert caller.link is not None
        assert caller.until is not None
        if not self._inbox.use_link(tenant_of(caller.owner_key), caller.link, nonce, caller.until):
            raise LinkUsed

    def tell_again(self, caller: Caller) -> None:
        """Have those told again who may decide the approval of the caller's link, if it waits and none were of late."""
        if caller.approval is not None:
            self._inbox.tell_again(tenant_of(caller.owner_key), caller.approval)

    def decide(self, caller: Caller, item_id: str, result: Mapping[str, JSON], *, channel: str) -> Decided:
        """Record what the caller answers, the result of an elicitation; the last answer resumes the task.

        Raises what `find` does, `AcceptedByActor`, and `BadInputResponse` for a result that does not fit.  The same
        decision again changes nothing, and is no error, but by a link, which is used once: whoever has it may be
        somebody else.
        """
        try:
            return self._decide(caller, item_id, result, channel)
        except AlreadyDecided as over:
            mine = caller.subject, result.get("action")
            if caller.approval is not None or mine not in {(each.subject, each.action) for each in over.decisions}:
                raise
            return Decided(counted(over.decisions), over.quorum, is_over=True, is_new=False)

    def _decide(self, caller: Caller, item_id: str, result: Mapping[str, JSON], channel: str) -> Decided:
        # Saves 7 ms of every cold start: few messages decide anything.
        from mcp_tasks.authoring.input_responses import check

        for _ in range(MAX_WRITE_ATTEMPTS):
            item = self.find(caller, item_id)
            check(item.input_request, result)
            mine, quorum = self._decision(caller, item, result, channel), item.approval.quorum
            if mine.action == ACCEPT and (before := _by(caller.subject, item.accepted)):
                return _waiting(before, quorum, is_new=False)
            _check_acceptance(caller, item, mine)
            if _decides(item, mine):
                try:
                    accepted = self._respond(caller, item, result, channel)
                except _Overtaken:
                    continue
                _note(item, mine, is_over=True)
                return Decided(accepted, quorum, is_over=True)
            if self._inbox.accept(tenant_of(caller.owner_key), item, mine):
                _note(item, mine, is_over=False)
                return _waiting((*item.accepted, mine), quorum, is_new=True)
        raise StaleTask(f"lost {MAX_WRITE_ATTEMPTS} races for one approval")

    def _respond(self, caller: Caller, item: InboxItem, result: Mapping[str, JSON], channel: str) -> int:
        """Give the task its response, unless somebody else was faster; return how many have accepted."""
        decisions: Decisions = ()

        def responses(task: Task) -> Mapping[str, InputResponse]:
            nonlocal decisions
            # Read again after each race that was lost: who won it has decided, or accepted too.
            now = self.find(caller, item.id)
            if now.input_request not in task.open_input_requests:
                raise ApprovalNotFound(item.id)
            mine = self._decision(caller, now, result, channel)
            if mine.action == ACCEPT and (has_accepted(caller, now.accepted) or not _decides(now, mine)):
                raise _Overtaken
            decisions = (*now.accepted, mine)
            return {now.input_request.key: InputResponse(result=result, decisions=decisions)}

        try:
            self.suspension.respond(item.owner_key, item.task_id, responses)
        except (TaskNotFound, IllegalTransition) as error:
            raise ApprovalNotFound(item.id) from error
        return counted(decisions)

    def _decision(self, caller: Caller, item: InboxItem, result: Mapping[str, JSON], channel: str) -> Decision:
        now = self.ports.clock.now()
        return decision(caller, item, result, channel=channel, digest=item.digest, at=now)

    @property
    def _inbox(self) -> Inbox:
        return self.ports.inbox()


def _place(item: InboxItem | DecidedItem) -> str:
    return item.place


def _may_name(caller: Caller, item_id: str) -> bool:
    """Return whether the id, which may be any text, is one of an audience of the caller."""
    may_be = caller.identified and caller.approval in (None, item_id)
    return may_be and audience_of(item_id) in audiences_of(caller)


def _is_entitled(caller: Caller, item: InboxItem | DecidedItem) -> bool:
    return entitles(item.approval, caller, item.owner_key, item.actor)


def _by(subject: str, accepted: Decisions) -> Decisions:
    """Return what a subject accepted, last, after what others accepted; nothing where it has not."""
    mine = tuple(each for each in accepted if each.subject == subject)
    return (*(each for each in accepted if each.subject != subject), *mine) if mine else ()


def _waiting(accepted: Decisions, quorum: int, *, is_new: bool) -> Decided:
    """Return what became of the last of those who accepted so far."""
    return Decided(counted(accepted), quorum, is_over=False, is_new=is_new, answers=max(answers(accepted), 1))


def _decides(item: InboxItem, mine: Decision) -> bool:
    return mine.action != ACCEPT or len(agreeing(item.accepted, mine)) >= item.approval.quorum


def _check_acceptance(caller: Caller, item: InboxItem, mine: Decision) -> None:
    """Raise `AcceptedByActor` for one more of somebody who has accepted, `BadInputResponse` for one that is too large.

    Who declines does so for all, and may have accepted before.
    """
    if mine.action != ACCEPT:
        return
    if has_accepted(caller, item.accepted):
        raise AcceptedByActor(item.id, may_alone=not has_accepted(acts_for_nobody(caller), item.accepted))
    size = size_of([document_of_decision(each) for each in (*item.accepted, mine)])
    if size > MAX_ACCEPTED_CHARACTERS:
        said = f"with all that was accepted so far it takes {size:,} characters, of {MAX_ACCEPTED_CHARACTERS:,} at most"
        raise BadInputResponse(item.input_request.key, said)


def _note(item: InboxItem, mine: Decision, *, is_over: bool) -> None:
    """Note for auditors what the caller of the current request decided, of what it was shown."""
    said = {"action": mine.action, "channel": mine.channel, "shown": mine.digest}
    note_event("approval.decided", item.id, task=item.task_id, is_over=is_over, **said)
