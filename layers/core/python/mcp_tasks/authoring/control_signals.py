"""What ends a run before the tool itself does.

RunEnds
├── TaskCancelled    nobody waits for the outcome any more
├── Asking           the client has to answer first; then the tool runs again from the top
├── AskedOtherwise   run again, the tool did not ask what it had asked before
├── BadAnswer        what the client answered is no answer to the question
└── Interrupted      the store failed the run

Not `Exception`s, so that a tool's own `except Exception` does not swallow them.
"""

from collections.abc import Sequence

from mcp_tasks.tasks.model import Question


class RunEnds(BaseException):
    """The run ends here."""


class TaskCancelled(RunEnds):
    """Nobody waits for the outcome any more: clean up and let this pass."""


class Asking(RunEnds):
    """These questions have no answer yet."""

    def __init__(self, questions: Sequence[Question]) -> None:
        """Keep the questions."""
        super().__init__(", ".join(question.key for question in questions))
        self.questions = tuple(questions)


class AskedOtherwise(RunEnds):
    """Two runs of one call did not ask the same, so that answers would be given to the wrong questions."""

    def __init__(self, before: str, now: str) -> None:
        """Name both questions by their keys."""
        super().__init__(
            f"it asked {before!r} the last time and now {now!r} instead; run again, a tool must ask the same questions"
            " in the same order, by keys that depend on neither time nor chance: put what varies into a step"
        )


class BadAnswer(RunEnds):
    """The client's answer does not fit the question."""

    def __init__(self, key: str, reason: str) -> None:
        """Name the question and what is wrong with its answer."""
        super().__init__(f"the answer to {key!r} does not fit: {reason}")
        self.key = key
        self.reason = reason


class Interrupted(RunEnds):
    """The store failed the run: no fault of the tool's."""
