"""Calls that ask before they become a task: the tool runs up to its first question, the task begins with the answer.

"Servers SHOULD complete any MRTR exchanges before creating the task."  -- ext-tasks 2026-07-28, Task Creation
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mcp_tasks.features.tools import Tool
from mcp_tasks.runner import run_inline
from mcp_tasks.service import Begun
from mcp_tasks.tasks.model import JSON, Question, Reply
from mcp_tasks.toolkit.answers import check
from mcp_tasks.toolkit.context import Context
from mcp_tasks.toolkit.interruptions import RunEnds
from mcp_tasks.toolkit.script import Script
from mcp_tasks.wire.inline import InlineJournal
from mcp_tasks.wire.rev_2026_07_28 import render, rounds
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call


class _Open(RunEnds):
    """The first question is answered: what comes now is the task's."""

    def __init__(self, script: Script[Mapping[str, JSON]]) -> None:
        """Keep what there is for the task to begin with."""
        super().__init__()
        self.script = script


@dataclass(slots=True, kw_only=True)
class _Opening(InlineJournal):
    """The journal of such a run."""

    def ask(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """End the run: with the questions, or because they are answered."""
        answers = self.script.ask(questions)
        for question, answer in zip(questions, answers, strict=True):
            check(question, answer)
        # A client that brought the answers without having been asked did not bring what an earlier round left.
        self.script.asked = [question.key for question in questions]
        raise _Open(self.script)


def play(call: Call, tool: Tool, arguments: Mapping[str, JSON], start: Callable[[Begun], Mapping[str, JSON]]) -> Answer:
    """Run the tool up to its first question, or start its task with the answer; one that asks nothing is done here."""

    def run(context: Context) -> Mapping[str, JSON]:
        try:
            return render.outcome(run_inline(tool, arguments, context))
        except _Open as opened:
            return start(_begun(opened.script))

    return rounds.play(call, run, _Opening)


def _begun(script: Script[Mapping[str, JSON]]) -> Begun:
    replies = {key: Reply(result=script.answers[key]) for key in script.asked}
    return Begun(asked=tuple(script.asked), steps=script.steps, replies=replies)
