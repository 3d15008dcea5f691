"""Tools: plain annotated functions that clients may call, and the box that holds them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from inspect import getdoc
from typing import Any, Literal, Protocol

from mcp_tasks.authoring.context import Context
from mcp_tasks.limits.waits import HANDLE_AFTER, INLINE_WAIT, LONGEST_RUN
from mcp_tasks.tasks.model import JSON, Returned

DEFAULT_MACHINE = "run_tool"


IMMEDIATE_RESPONSE = "The work has begun, and its result will follow. Do not call the tool again for it."

BUILT_IN = ("task_result", "task_cancel", "task_list")
"""The names of tools that the server brings itself; see `engine.task_tools`."""

Tasks = Literal["never", "allowed", "always"]


class Work(Protocol):
    """What a tool does: a function seen through its signature, or what the catalogue knows of one."""

    @property
    def input_schema(self) -> Mapping[str, JSON]:
        """The JSON Schema (2020-12) of the arguments, always of type object."""

    @property
    def output_schema(self) -> Mapping[str, JSON] | None:
        """The JSON Schema of a structured result, or None where the result is text."""

    @property
    def function(self) -> Callable[..., Any]:
        """The plain function."""

    def check(self, arguments: Mapping[str, JSON]) -> Mapping[str, Any]:
        """Return the arguments as the function wants them; raises `BadArguments`."""

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Check the arguments and call the function; raises `BadArguments` and whatever the function raises."""

    def returned(self, value: Any) -> Returned:
        """Say in the protocol's words what the function, or the tool's own machine, returned; raises `BadResult`."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A function that clients may call, and how.

    `tasks` says whether a call may, must or cannot become a task.  A call of a tool that allows tasks, by a client that
    wants none, waits for the work up to `inline_wait` and is then handed the task's id; a client that leaves it to the
    server is given the task's handle after `handle_after`, unless there is a result by then.  A client without tasks
    cannot call a tool that must become one.  `timeout` bounds the work, `ttl` is how long a task is kept when the
    client does not say, counted from its creation; `machine` names who does the work.
    `immediate_response` is what a host may tell its model in place of the result of a task that has only begun.

    With a `starts_inline` the function starts within the call, unless the client asked for a task: what it returns is
    the answer to the call, or the outcome of a task that is final from its birth where the tool is `always` one, and at
    `context.continue_as_task()` it becomes a task.

    A host that gives up on a call loses its task's id, and calls again.  Such a call, with the same arguments by the
    same caller, joins the task of the earlier one if that began less than `joinable` ago and has neither failed nor
    been cancelled; so does one that is meant to be a second one, which is why the tool has to say so.
    """

    name: str
    description: str
    work: Work
    tasks: Tasks = "allowed"
    timeout: timedelta = LONGEST_RUN
    ttl: timedelta | None = None
    poll_interval: timedelta = timedelta(seconds=1)
    inline_wait: timedelta = INLINE_WAIT
    handle_after: timedelta = HANDLE_AFTER
    joinable: timedelta | None = None
    machine: str = DEFAULT_MACHINE
    starts_inline: bool = False
    immediate_response: str = IMMEDIATE_RESPONSE
    title: str | None = None
    annotations: Mapping[str, JSON] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what could never run, at import rather than at the first call."""
        # 2025-11-25, Tools: names of 1 to 128 letters, digits, underscores, hyphens and dots.
        if not re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", self.name):
            raise ValueError(f"{self.name!r} is no name for a tool: use 1 to 128 of A-Z a-z 0-9 _ - .")
        if self.machine == DEFAULT_MACHINE and self.timeout > LONGEST_RUN:
            raise ValueError(f"{self.name}: more than {LONGEST_RUN} needs a machine of its own")
        if self.machine != DEFAULT_MACHINE and self.tasks == "never":
            raise ValueError(f"{self.name}: a tool with a machine of its own is a task: tasks='allowed' or 'always'")
        if self.joinable is not None and self.tasks != "allowed":
            raise ValueError(f"{self.name}: only calls that may be handed over can be joined, with tasks='allowed'")
        if self.joinable is not None and self.joinable <= timedelta():
            raise ValueError(f"{self.name}: nobody could join a call within {self.joinable}")
        if self.starts_inline and (self.tasks == "never" or self.machine != DEFAULT_MACHINE):
            raise ValueError(f"{self.name}: only what may become a task of the default machine can have a preflight")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the plain function, as its own tests would."""
        return self.work.function(*args, **kwargs)


def tool(
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    tasks: Tasks = "allowed",
    timeout: timedelta = LONGEST_RUN,
    ttl: timedelta | None = None,
    poll_interval: timedelta = timedelta(seconds=1),
    inline_wait: timedelta = INLINE_WAIT,
    handle_after: timedelta = HANDLE_AFTER,
    joinable: timedelta | None = None,
    machine: str = DEFAULT_MACHINE,
    starts_inline: bool = False,
    immediate_response: str = IMMEDIATE_RESPONSE,
    annotations: Mapping[str, JSON] | None = None,
    input_schema: Mapping[str, JSON] | None = None,
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a tool of the function below; its name and docstring are the tool's unless given.  See `Tool`.

    With an `input_schema` of its own the function takes all arguments as one mapping; see `OwnSchema`.
    """
    # Saves pydantic, 50 ms, where the catalogue is read instead of the module.
    from mcp_tasks.features.signature import Signature

    def work(function: Callable[..., Any]) -> Work:
        if input_schema is None:
            return Signature(function)
        # Saves jsonschema, 100 ms: few tools bring a schema of their own.
        from mcp_tasks.features.own_schema import OwnSchema

        return OwnSchema(Signature(function), input_schema)

    def decorate(function: Callable[..., Any]) -> Tool:
        return Tool(
            name=name or function.__name__,
            title=title,
            description=description or getdoc(function) or "",
            work=work(function),
            tasks=tasks,
            timeout=timeout,
            ttl=ttl,
            poll_interval=poll_interval,
            inline_wait=inline_wait,
            handle_after=handle_after,
            joinable=joinable,
            machine=machine,
            starts_inline=starts_inline,
            immediate_response=immediate_response,
            annotations=annotations or {},
        )

    return decorate


class Toolbox:
    """The tools of a server, in the order in which they were listed."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        """Take the tools; raises `ValueError` when two have one name."""
        self._tools: dict[str, Tool] = {}
        for each in tools:
            if each.name in self._tools or each.name in BUILT_IN:
                raise ValueError(f"two tools are named {each.name}")
            self._tools[each.name] = each

    def __iter__(self) -> Iterator[Tool]:
        """Go through the tools in order."""
        return iter(self._tools.values())

    def find(self, name: str) -> Tool | None:
        """Return the tool of that name."""
        return self._tools.get(name)
