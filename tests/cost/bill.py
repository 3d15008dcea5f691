"""The bill of what was counted: counts times prices, told apart by service and by what it is for."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from tests.cost import prices

CALLED: Final = {"serve_mcp": "run_inline", "run_without_ticket": "run_tool", "run_tool": "host_run"}
"""The function that one invokes and waits for."""

TICKETS: Final = ("host_run",)
"""A run holds a ticket, and this function writes for it: what its invocations cost beside the reads and writes."""

EVENTS: Final = ("on_task_change", "record_outcome")
"""These hear of changes and of ended executions, so that nothing is lost; what they do is done by then."""

OWN_TIME: Final = ("run_tool", "run_inline")
"""What these wait beyond their calls is the tool's own time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Dollars, by what they are for."""

    gateway: float = 0
    table: float = 0
    states: float = 0
    functions: float = 0
    held: float = 0
    logs: float = 0
    objects: float = 0
    tickets: float = 0
    events: float = 0

    @property
    def total(self) -> float:
        """Return the whole."""
        return float(sum(getattr(self, each.name) for each in fields(self)))

    @property
    def storage(self) -> float:
        """Return what the table and the bucket take."""
        return self.table + self.objects

    @property
    def itself(self) -> float:
        """Return the whole without what tickets and events add."""
        return self.total - self.tickets - self.events

    def __mul__(self, times: float) -> "Bill":
        return Bill(**{each.name: getattr(self, each.name) * times for each in fields(self)})

    def __add__(self, other: "Bill") -> "Bill":
        return Bill(**{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The settings of the deployed template that count on the bill."""

    settings: Mapping[str, Any]

    def bill(self, counts: Mapping[str, Any]) -> Bill:
        """Return what one such thing costs."""
        functions = counts["functions"]
        events = sum(self._whole(name, functions) for name in EVENTS if name in functions)
        tickets = sum(
            self._run(name, functions) + self._logs(name, functions[name]) for name in TICKETS if name in functions
        )
        tickets += self._awaited(functions)
        rest = {name: each for name, each in functions.items() if name not in (*TICKETS, *EVENTS)}
        requests = counts["requests"]
        executions = counts.get("event_bytes", 0) + counts.get("events_logged", 0) * prices.LOG_OVERHEAD
        return Bill(
            gateway=requests * prices.REQUEST.each + counts["bytes_out"] * prices.DATA_OUT.each,
            table=sum(_table(each) for name, each in functions.items() if name not in EVENTS),
            states=counts.get("transitions", 0) * prices.TRANSITION.each,
            functions=sum(self._run(name, functions) for name in rest) - self._awaited(functions),
            held=sum(self._held(name, each) for name, each in rest.items()),
            logs=sum(self._logs(name, each) for name, each in rest.items())
            + (executions + requests * self._access_log) * prices.LOGGED.each
            + requests * self.settings["gateway_traced"] * self.settings["trace_rate"] * prices.TRACE.each,
            objects=sum(_objects(each) for name, each in functions.items() if name not in EVENTS),
            tickets=tickets,
            events=events,
        )

    @property
    def _access_log(self) -> float:
        written = self.settings["access_log"]
        values = len(re.findall(r"\$context\.[\w.]+", written))
        return len(re.sub(r"\$context\.[\w.]+", "", written)) + values * prices.ACCESS_FIELD + prices.LOG_OVERHEAD

    def _whole(self, name: str, functions: Mapping[str, Any]) -> float:
        each = functions[name]
        traced = each["invocations"] * (name in self.settings["traced"]) * self.settings["trace_rate"]
        whole = self._run(name, functions) + self._logs(name, each) + _table(each) + _objects(each)
        return float(whole + traced * prices.TRACE.each)

    def _run(self, name: str, functions: Mapping[str, Any]) -> float:
        """Return what a function's invocations cost, without what it holds a connection for."""
        gigabyte_seconds = self.seconds(name, functions) * self.settings["memory"][name] / 1024
        invocations = float(functions[name]["invocations"])
        return float(invocations * prices.INVOCATION.each + gigabyte_seconds * prices.GB_SECOND.each)

    def _held(self, name: str, each: Mapping[str, Any]) -> float:
        seconds = 0 if name in OWN_TIME else each["held_seconds"]
        return float(seconds * self.settings["memory"][name] / 1024 * prices.GB_SECOND.each)

    def _awaited(self, functions: Mapping[str, Any]) -> float:
        """Return what runs of tools cost while they wait for the function that writes for them."""
        seconds = self._waits("run_tool", functions) if "run_tool" in functions else 0
        return float(seconds * self.settings["memory"]["run_tool"] / 1024 * prices.GB_SECOND.each)

    def seconds(self, name: str, functions: Mapping[str, Any]) -> float:
        """Return how long a function runs that holds nothing: its CPU time in the share that it has, and its calls."""
        each = functions[name]
        if each["held_seconds"] and name not in OWN_TIME:
            return 0
        share = max(1.0, prices.FULL_CPU_MB / self.settings["memory"][name])
        calls = sum(
            count * prices.MILLISECONDS[call] for call, count in each["calls"].items() if call != "lambda.Invoke"
        )
        return float(each["cpu_ms"] * share + calls) / 1000 + self._waits(name, functions)

    def _waits(self, name: str, functions: Mapping[str, Any]) -> float:
        invoked, count = CALLED.get(name), functions[name]["calls"].get("lambda.Invoke", 0)
        if not count:
            return 0
        other = functions.get(invoked or "")
        share = count / other["invocations"] if other and other["invocations"] else 0
        took = self.seconds(invoked, functions) * share if invoked and share else 0
        return float(count * prices.MILLISECONDS["lambda.Invoke"] / 1000 + took)

    def _logs(self, name: str, each: Mapping[str, Any]) -> float:
        own = each["log_bytes"] + each["log_lines"] * prices.LOG_OVERHEAD
        platform = each["invocations"] * prices.PLATFORM_LOG * (name in self.settings["platform_logged"])
        return float((own + platform) * prices.LOGGED.each)


def _table(each: Mapping[str, Any]) -> float:
    stream = sum(count for call, count in each["calls"].items() if call == "dynamodbstreams.GetRecords")
    return float(
        each["write_units"] * prices.WRITE_UNIT.each
        + each["read_units"] * prices.READ_UNIT.each
        + stream * prices.STREAM_READ.each
    )


def _objects(each: Mapping[str, Any]) -> float:
    written, read = (sum(_of(each["calls"], *kinds)) for kinds in (("s3.PUT",), ("s3.GET", "s3.HEAD")))
    return written * prices.S3_WRITE.each + read * prices.S3_READ.each


def _of(calls: Mapping[str, float], *kinds: str) -> Iterator[float]:
    return (count for call, count in calls.items() if call in kinds)
