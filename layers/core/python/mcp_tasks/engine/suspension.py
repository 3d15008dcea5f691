"""A task that asks its client: the work parks, and nothing of it runs until the answers are in.

    run ends, asking  ->  Asked     what it asks is kept
    the work is held  ->  Parked    questions and task token are published, in one write
    a reply           ->  Answered  kept; others are missing
    the last reply    ->  Resumed   kept; then the work is let go on

Each line is one conditional write, then its side effect; the table's stream and the sweep repeat that.  Any of it may
happen twice, late or never: the stored task decides.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import IllegalMove, TaskNotFound
from mcp_tasks.tasks.events import Answered, Asked, Event, Parked, Resumed
from mcp_tasks.tasks.model import Question, Reply, State, Task

LARGEST_QUESTIONS = 100_000
"""Characters of JSON, of all questions that are open at once: they are kept with the task, and read with it."""

MOST_QUESTIONS = 50
"""As many may be answered in one write, of which DynamoDB makes no more than 100 actions."""


class QuestionsTooLarge(Exception):
    """The run asks more than may be kept."""


def check_size(questions: Sequence[Question]) -> None:
    """Refuse what is too much to be asked at once; raises `QuestionsTooLarge`."""
    if len(questions) > MOST_QUESTIONS:
        raise QuestionsTooLarge(f"it asks {len(questions)} questions at once; {MOST_QUESTIONS} is the most")
    size = sum(len(json.dumps([question.key, question.params])) for question in questions)
    if size > LARGEST_QUESTIONS:
        raise QuestionsTooLarge(f"it asks {size:,} characters at once; {LARGEST_QUESTIONS:,} is the most")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parking:
    """The sentences that can be said of tasks that wait for their client."""

    tasks: TaskOperations

    def ask(self, owner_key: str, task_id: str, questions: Sequence[Question]) -> timedelta:
        """Keep what a run asked before it ended, and return for how long the client may be waited for.

        What another run of the tool asked before, and waits for, stays as it is.
        Raises `TaskNotFound` and, if the task is final or was answered this before, `IllegalMove`.
        """

        def decide(task: Task) -> Event | None:
            if task.questions:
                return None
            if any(question.key in task.asked for question in questions):
                # By a run that others overtook: it read what was replied before there was a reply.
                raise IllegalMove("what was answered cannot be asked again")
            return Asked(questions=tuple(questions))

        return self.patience(self.tasks.change(owner_key, task_id, decide))

    def patience(self, task: Task) -> timedelta:
        """Return how long the first of a task's questions may still wait for its answer."""
        return min(task.deadline(question) for question in task.questions) - self.tasks.now()

    def park(self, owner_key: str, task_id: str, task_token: str) -> None:
        """Publish what the task asks, with the token that lets its work go on; or let it go on at once.

        Raises `ExecutorUnavailable`: then park again, with this token or with another one.
        """
        parked = Parked(task_token=task_token)
        try:
            task = self.tasks.change(owner_key, task_id, lambda task: parked if task.questions else None)
        except TaskNotFound:
            return
        if not task.questions:
            # Answered before this came, or final: either way nobody else will ever know of this token.
            self.tasks.resume(replace(task, task_token=task_token, earlier_tokens=()))

    def answer(self, caller: Caller, task_id: str, replies: Mapping[str, Reply]) -> Task:
        """Take replies to a task's questions, all or none; those to questions that are not open are left out.

        Raises `TaskNotFound`, and `BadAnswer` where a result does not fit its question, which stays open then.
        """
        # Saves 7 ms of every cold start: few messages are answers.
        from mcp_tasks.authoring.input_responses import check

        def fitting(task: Task) -> Mapping[str, Reply]:
            taken = {each.key: replies[each.key] for each in task.open_questions if each.key in replies}
            for question in task.open_questions:
                reply = taken.get(question.key)
                if reply is not None and reply.result is not None:
                    check(question, reply.result)
            return taken

        return self._let_go_on(self._take(caller.owner_key, task_id, fitting))

    def give_up(self, caller: Caller, task_id: str, key: str) -> None:
        """Do without the answer to a question whose time is not over; harmless where the question is not open.

        The tool hears of it as of a time that is over.  Raises `TaskNotFound`.
        """

        def unanswered(task: Task) -> Mapping[str, Reply]:
            return {each.key: Reply() for each in task.open_questions if each.key == key}

        self._let_go_on(self._take(caller.owner_key, task_id, unanswered))

    def expire(self, owner_key: str, task_id: str) -> Task:
        """Do without the answers whose time is over, on behalf of work that goes on; raises `TaskNotFound`."""
        now = self.tasks.now()
        return self._take(
            owner_key,
            task_id,
            lambda task: {each.key: Reply() for each in task.open_questions if task.deadline(each) <= now},
        )

    def _let_go_on(self, task: Task) -> Task:
        if task.state is State.WORKING and task.task_token is not None:
            self.tasks.attempt(lambda: self.tasks.resume(task))
        return task

    def _take(self, owner_key: str, task_id: str, replies_for: Callable[[Task], Mapping[str, Reply]]) -> Task:
        def decide(task: Task) -> Event | None:
            replies = replies_for(task)
            if not replies:
                return None
            missing = any(question.key not in replies for question in task.open_questions)
            return Answered(replies=replies) if missing else Resumed(replies=replies)

        return self.tasks.change(owner_key, task_id, decide)
