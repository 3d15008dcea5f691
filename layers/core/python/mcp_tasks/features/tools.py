"""Tools: annotated functions that clients call by `tools/call`, and the tools of a server."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import timedelta
from inspect import getdoc
from typing import Any, Literal, Protocol, Self, get_args

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.durations import check_durations
from mcp_tasks.features.code_version import check_version, digest_of
from mcp_tasks.features.definition import check_annotations, check_called, check_function, check_texts, entries, given
from mcp_tasks.limits.waits import (
    HANDLE_AFTER,
    INLINE_WAIT,
    LONGEST_POLL_INTERVAL,
    LONGEST_RUN,
    LONGEST_SPAN,
    POLL_INTERVAL,
)
from mcp_tasks.security.scopes import check_scopes
from mcp_tasks.tasks.model import COMMON_MACHINES, DEFAULT_MACHINE, DIRECT_MACHINE, JSON, Returned

IMMEDIATE_RESPONSE = "The work has begun, and its result will follow. Do not call the tool again for it."

TASK_TOOLS = ("task_result", "task_cancel", "task_list")
"""The names of the built-in tools of `engine.task_tools`, for clients that do not know tasks."""

APPROVAL_TOOLS = APPROVAL_LIST, APPROVAL_DECIDE, APPROVAL_LINK = "approval_list", "approval_decide", "approval_link"
"""The names of those of `engine.approval_tools`, for all clients where a tool asks others."""

LINK_TOOLS = APPROVAL_OPEN, APPROVAL_REMIND = "approval_open", "approval_remind"
"""The names of those of `engine.link_tools`, for the holders of links, who are listed no tools."""

OPERATOR_TOOLS = TENANT_LIST, TASK_LINKS = "tenant_list", "task_links"
"""The names of those of `engine.operator_tools`, for operators of the stage."""

BUILT_IN = (*TASK_TOOLS, *APPROVAL_TOOLS, *LINK_TOOLS, *OPERATOR_TOOLS)
"""The names that no other tool may have."""

Tasks = Literal["never", "allowed", "always"]
ExtraArguments = Literal["refuse", "ignore"]


class Work(Protocol):
    """The code of a tool: a function with its schemas, or an entry of the catalogue that imports it lazily."""

    @property
    def input_schema(self) -> Mapping[str, JSON]:
        """The JSON Schema (2020-12) of the arguments, always of type object."""

    @property
    def output_schema(self) -> Mapping[str, JSON] | None:
        """The JSON Schema of a structured result, or None where the result is text."""

    @property
    def function(self) -> Callable[..., Any]:
        """The undecorated function, for tests that call it directly."""

    def check(self, arguments: Mapping[str, JSON]) -> Mapping[str, Any]:
        """Return the arguments as the function takes them; raises `BadArguments`."""

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Check the arguments and call the function; raises `BadArguments` and whatever the function raises."""

    def returned(self, value: Any) -> Returned:
        """Convert to a `CallToolResult` what the function or the tool's state machine returned; raises `BadResult`."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool as the server lists it, and how its calls are run.

    tasks: whether a call is "never", may be ("allowed") or is "always" a task.  Clients without task support cannot
        call a tool that always is one.
    timeout: how long the work may take; while the task sleeps or waits for input, it does not count.
    ttl: how long a task is kept, from its creation; a client may ask for more, not for less: some always ask for a
        minute, in which no user answers.
    poll_interval: how often clients should poll at first, five minutes at most.
    expected: how long the work usually takes from its start, as far as its author knows; where it varies, better not.
    not_before: the name of the argument that says for how many seconds the tool's state machine waits, from its start,
        before anything else: nobody who waits for the result looks sooner.
    inline_wait: how long a call by a client without task support waits for the result before it returns the task's id.
    handle_after: the same for a client that leaves the choice to the server (the tasks extension).
    join_within: for how long a call with the same arguments by the same caller joins an earlier call's task, unless
        that failed or was cancelled.  It serves hosts that give up on a call, lose the task's id and call again; a call
        that is meant as a second one joins too, so a tool has to opt in.
    machine: the name of the state machine that does the work; with "direct" none does, and the tool can neither sleep
        nor request input.
    starts_inline: whether the function starts within the call, unless the client requested a task.  What it returns is
        the result of the call (with tasks="always", of a task that is final when it is created); at
        `Context.continue_as_task` it becomes a task.
    immediate_response: what a host may give its model while the task runs.
    scopes: the OAuth scopes that a caller needs, all of them; a task needs them again whenever its run starts.
    approvals: whether it asks others than its caller (`context.elicit(..., of=...)`), who are then offered an inbox.
    version: of the code, a digest of its module's source by default; an error names it, and that under which its task
        was started, where a replay does not fit.
    extra_arguments: what becomes of arguments that the signature does not have; None with a schema of the tool's own.
    """

    name: str
    description: str
    work: Work
    tasks: Tasks = "allowed"
    timeout: timedelta = LONGEST_RUN
    ttl: timedelta | None = None
    poll_interval: timedelta = POLL_INTERVAL
    expected: timedelta | None = None
    not_before: str | None = None
    inline_wait: timedelta = INLINE_WAIT
    handle_after: timedelta = HANDLE_AFTER
    join_within: timedelta | None = None
    machine: str = DEFAULT_MACHINE
    starts_inline: bool = False
    immediate_response: str = IMMEDIATE_RESPONSE
    title: str | None = None
    annotations: Mapping[str, JSON] = field(default_factory=dict)
    scopes: Sequence[str] = ()
    approvals: bool = False
    version: str | None = None
    extra_arguments: ExtraArguments | None = None

    def __post_init__(self) -> None:
        """Raise `ValueError` or `TypeError`, at import, for settings that are invalid or contradict each other."""
        # 2025-11-25, Tools: names of 1 to 128 letters, digits, underscores, hyphens and dots.
        if not isinstance(self.name, str) or not re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", self.name):
            raise ValueError(f"{self.name!r} is no name for a tool: use 1 to 128 of A-Z a-z 0-9 _ - .")
        check_texts(
            self.name,
            description=self.description,
            machine=self.machine,
            immediate_response=self.immediate_response,
            **given(title=self.title),
        )
        if self.tasks not in get_args(Tasks):
            raise ValueError(f"{self.name}: tasks is 'never', 'allowed' or 'always', not {self.tasks!r}")
        check_annotations(self.name, self.annotations)
        check_scopes(self.name, self.scopes)
        if self.version is not None:
            check_version(self.name, self.version)
        self._check_times()
        self._check_machine()
        if self.join_within is not None and self.tasks != "allowed":
            raise ValueError(f"{self.name}: join_within needs tasks='allowed'")
        self._check_flags()

    def _check_flags(self) -> None:
        for flag in ("starts_inline", "approvals"):
            if not isinstance(getattr(self, flag), bool):
                raise TypeError(f"{self.name}: {flag} is True or False, not {getattr(self, flag)!r}")
        if self.starts_inline and (self.tasks == "never" or self.machine != DEFAULT_MACHINE):
            raise ValueError(f"{self.name}: only a tool that may be a task of the default machine can start inline")
        if self.approvals and (self.tasks == "never" or self.machine == DIRECT_MACHINE):
            raise ValueError(f"{self.name}: only a task that can be suspended waits for others (approvals=True)")

    def _check_machine(self) -> None:
        if self.machine != DEFAULT_MACHINE and self.tasks == "never":
            whose = "a state machine of its own" if self.machine not in COMMON_MACHINES else f"machine={self.machine!r}"
            raise ValueError(f"{self.name}: a tool with {whose} runs as a task: set tasks to 'allowed' or 'always'")
        if self.not_before is not None and self.machine in COMMON_MACHINES:
            raise ValueError(f"{self.name}: not_before is for a tool whose own state machine waits")
        if self.not_before is not None and self.not_before not in self.work.input_schema.get("properties", {}):
            raise ValueError(f"{self.name}: not_before names no argument: {self.not_before!r}")

    def _check_times(self) -> None:
        check_durations(
            self.name,
            longest=LONGEST_SPAN,
            timeout=self.timeout,
            poll_interval=self.poll_interval,
            inline_wait=self.inline_wait,
            handle_after=self.handle_after,
            **given(ttl=self.ttl, join_within=self.join_within, expected=self.expected),
        )
        if self.poll_interval > LONGEST_POLL_INTERVAL:
            most = f"{LONGEST_POLL_INTERVAL} at most, since an outcome may be kept no longer"
            raise ValueError(f"{self.name}: poll_interval can be {most}, not {self.poll_interval}")
        if self.timeout == timedelta():
            raise ValueError(f"{self.name}: nothing can be done within a timeout of {self.timeout}")
        if self.machine in COMMON_MACHINES and self.timeout > LONGEST_RUN:
            raise ValueError(f"{self.name}: a timeout of more than {LONGEST_RUN} needs a state machine of its own")
        if self.join_within == timedelta():
            raise ValueError(f"{self.name}: nobody could join a call within {self.join_within}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the undecorated function, as a unit test would."""
        return self.work.function(*args, **kwargs)


def tool(
    function: None = None,
    /,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    tasks: Tasks = "allowed",
    timeout: timedelta = LONGEST_RUN,
    ttl: timedelta | None = None,
    poll_interval: timedelta = POLL_INTERVAL,
    expected: timedelta | None = None,
    not_before: str | None = None,
    inline_wait: timedelta = INLINE_WAIT,
    handle_after: timedelta = HANDLE_AFTER,
    join_within: timedelta | None = None,
    machine: str = DEFAULT_MACHINE,
    starts_inline: bool = False,
    immediate_response: str = IMMEDIATE_RESPONSE,
    annotations: Mapping[str, JSON] | None = None,
    scopes: Sequence[str] = (),
    approvals: bool = False,
    version: str | None = None,
    input_schema: Mapping[str, JSON] | None = None,
    extra_arguments: ExtraArguments = "refuse",
) -> Callable[[Callable[..., Any]], Tool]:
    """Decorate a function as a tool; name and description default to those of the function and its docstring.

    The schema of its arguments comes from the signature.  With an `input_schema`, the function takes all arguments as
    one mapping instead.  `Tool` explains the other parameters.
    """
    check_called("tool", function, "@tool()")
    # Saves pydantic, 50 ms, where the catalogue is read instead of the module.
    from mcp_tasks.features.signature import Signature

    def work(signature: Signature) -> Work:
        if input_schema is None:
            return signature
        # Saves jsonschema, 100 ms: few tools bring a schema of their own.
        from mcp_tasks.features.own_schema import OwnSchema

        return OwnSchema(signature, input_schema)

    def checked(function: Callable[..., Any]) -> Work:
        signature = Signature(function, extra_arguments)
        made = work(signature)
        signature.check_definition(lambda: (made.input_schema, made.output_schema))
        return made

    def decorate(function: Callable[..., Any]) -> Tool:
        check_function("tool", function)
        return Tool(
            name=name or function.__name__,
            title=title,
            description=description or getdoc(function) or "",
            work=checked(function),
            tasks=tasks,
            timeout=timeout,
            ttl=ttl,
            poll_interval=poll_interval,
            expected=expected,
            not_before=not_before,
            inline_wait=inline_wait,
            handle_after=handle_after,
            join_within=join_within,
            machine=machine,
            starts_inline=starts_inline,
            immediate_response=immediate_response,
            annotations=annotations or {},
            scopes=scopes,
            approvals=approvals,
            version=digest_of(function) if version is None else version,
            extra_arguments=extra_arguments if input_schema is None else None,
        )

    return decorate


class Toolbox:
    """The tools of a server, in the order in which they were listed."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        """Collect tools; raises `TypeError` for what is none, and `ValueError` for a name that is taken."""
        self._tools: dict[str, Tool] = {}
        for each in entries("TOOLS", tools, Tool, "@tool()"):
            if each.name in BUILT_IN:
                raise ValueError(f"{each.name} is the name of a built-in tool: choose another")
            if each.name in self._tools:
                raise ValueError(f"two tools are named {each.name}")
            self._tools[each.name] = each

    def with_built_in(self, tools: Iterable[Tool]) -> Self:
        """Return these tools followed by built-in ones."""
        made = copy(self)
        made._tools = self._tools | {each.name: each for each in tools}
        return made

    def __iter__(self) -> Iterator[Tool]:
        """Iterate over the tools in the order in which they are listed."""
        return iter(self._tools.values())

    def find(self, name: str) -> Tool | None:
        """Return the tool of that name, or None."""
        return self._tools.get(name)
