"""A client of revision 2026-07-28: it declares the tasks extension, or goes through round trips without it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from mcp_tasks.tasks.transitions import is_final
from tests.simulation.actors import Moves, Weights
from tests.simulation.actors.client import KEY, RECENT, Client, Received, is_ours
from tests.simulation.actors.fickle import changed
from tests.simulation.chances import PRIES
from tests.simulation.laws.calls import BAD, INLINE, Calls, RoundTrip, is_bad
from tests.simulation.laws.handles import called, check_handle, check_in_time, check_task
from tests.simulation.laws.promises import check_kept, check_listens_again, check_told
from tests.simulation.laws.versions_shown import check_asks, check_detailed, check_plain
from tests.simulation.process import CallRecord

NAME = "2026-07-28"
TASKS = "io.modelcontextprotocol/tasks"
PREFIX = "io.modelcontextprotocol/"
ANSWERS: Mapping[str, Any] = {"elicitation": {"form": {}}, "roots": {}}
NAMED_BY = {"tools/call": "name", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}


@dataclass(kw_only=True)
class Client2026(Client):
    """The client; `trips` are the calls that wait for its responses."""

    kind = NAME
    weights: ClassVar[Weights] = {
        "starts": 2,
        "calls": 2,
        "makes a round trip": 5,
        "makes an old round trip": 1,
        "forges a round trip": 1,
        "answers": 7,
        "answers badly": 1,
        "gets": 4,
        "listens": 2,
        "cancels": 1,
        "peeks": 1,
        "peeks by an answer": 1,
    }
    calls: Calls
    trips: list[RoundTrip] = field(default_factory=list)
    requests: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What each task was last seen to ask."""

    def moves(self) -> Moves:
        draw = self.world.random.choice
        declined = {"name": {"action": "decline"}}
        moves: dict[str, Callable[[], object]] = {
            "starts": lambda: self.call(draw(self.started)),
            "calls": lambda: self.call(draw(self.called), declares=False),
            "peeks": lambda: self.peek(draw(["tasks/get", "tasks/cancel"])),
            "peeks by an answer": lambda: self.peek("tasks/update", inputResponses=declined),
        }
        if self.ledger.tasks_of(self.owner_key):
            moves |= {
                "gets": lambda: self.get(self.task()),
                "listens": self.listen,
                "cancels": lambda: self.cancel(self.task()),
            }
        if self.requests:
            moves |= {
                "answers": lambda: self.update(draw(list(self.requests))),
                "answers badly": lambda: self.update(draw(list(self.requests)), bad=True),
            }
        if self.trips:
            moves["makes a round trip"] = lambda: self.go_on(draw(self.trips))
        mine = [trip for trip in self.calls.given if trip.owner_key == self.owner_key]
        if mine:
            moves["makes an old round trip"] = lambda: self.go_on(draw(mine[-RECENT:]))
        if self.calls.given:
            moves["forges a round trip"] = lambda: self.forge(draw(self.calls.given))
        return moves

    def post(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        declares: bool = True,
        meta: Mapping[str, Any] | None = None,
        call: CallRecord | None = None,
    ) -> tuple[Any, Received | None]:
        extensions: Mapping[str, Any] = {"extensions": {TASKS: {}}} if declares else {}
        envelope = {
            f"{PREFIX}protocolVersion": NAME,
            f"{PREFIX}clientInfo": {"name": "simulated", "version": "1"},
            f"{PREFIX}clientCapabilities": {**ANSWERS, **extensions},
            **(meta or {}),
        }
        request_id = next(self.ids)
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {**params, "_meta": envelope}}
        headers = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": NAME,
            "mcp-method": method,
        }
        if method in NAMED_BY:
            headers["mcp-name"] = params[NAMED_BY[method]]
        return request_id, self.exchange("POST", headers, json.dumps(message).encode(), call=call)

    def call(self, tool: str, *, declares: bool = True) -> None:
        """Call a tool, as a task or not."""
        params = {"name": tool, "arguments": self.arguments()}
        meta = self.meta(tool) if declares else {}
        self._call(params, meta, CallRecord(), declares=declares, key=meta.get(KEY))

    def use(self, tool: str, arguments: Mapping[str, Any], *, declares: bool = True) -> Any:
        """Call a built-in tool; returns the answer, None where there is none."""
        request_id, received = self.post("tools/call", {"name": tool, "arguments": arguments}, declares=declares)
        return received and received.answer(request_id)

    def go_on(self, trip: RoundTrip) -> None:
        """Repeat a call with responses: from where it is, or once more from where it was."""
        responses = {key: self.response(each["method"]) for key, each in trip.requests.items()}
        if self.world.fickle:
            responses = changed(self, trip, responses)
        self.trips = [each for each in self.trips if each is not trip]
        more = {"requestState": trip.state, "inputResponses": responses}
        key = trip.meta.get(KEY)
        since = self.world.clock.now()
        call = trip.call.next(responses)
        message = self._call({**trip.params, **more}, trip.meta, call, declares=trip.declares, key=key)
        if message:
            self.calls.repeated(trip, message, since=since)
            self.calls.answered(trip, call, message)
            if is_bad(call.responses):
                # What it is asked is as it was, and so is its state.
                self.trips.append(trip)
        for task_id in call.tasks[len(trip.call.tasks) :]:
            # A client that named the call itself gets the task of that name.
            if KEY not in trip.meta:
                self.calls.led_to(trip, task_id)

    def forge(self, trip: RoundTrip) -> None:
        """Send a state that was changed, was given for another call, or to another client."""
        draw, state, params = self.world.random.choice, trip.state, dict(trip.params)
        how = draw(["changed", "another call's"]) if trip.owner_key == self.owner_key else "another client's"
        if how == "changed":
            place = self.world.random.randrange(len(state))
            state = state[:place] + ("A" if state[place] != "A" else "B") + state[place + 1 :]
        elif how == "another call's":
            params["arguments"] = {**params["arguments"], "more": 1}
        responses = {key: self.response(each["method"]) for key, each in trip.requests.items()}
        self.world.trace.say(f"  {how}")
        more = {"requestState": state, "inputResponses": responses}
        request_id, received = self.post("tools/call", {**params, **more}, declares=trip.declares, meta=trip.meta)
        message = received and received.answer(request_id)
        if message:
            self.calls.forged(how, message)

    def get(self, task_id: str | None) -> None:
        """Get a task."""
        if task_id is None:
            return
        request_id, received = self.post("tasks/get", {"taskId": task_id})
        message = received and received.answer(request_id)
        if not received or not message:
            return
        self.take_missing(task_id, message)
        if "result" in message:
            self._show(received, message["result"])

    def update(self, task_id: str, *, bad: bool = False) -> None:
        """Answer some or all of what a task was seen to ask, perhaps again."""
        requests = self.requests[task_id]
        chosen = [key for key in requests if bad or self.world.random.random() < 0.7] or list(requests)
        responses = {key: self.response(requests[key]["method"]) for key in chosen}
        if bad:
            responses = dict.fromkeys(chosen, BAD)
        self.world.trace.say(f"  {self.world.trace.name(task_id)} {', '.join(chosen)}")
        request_id, received = self.post("tasks/update", {"taskId": task_id, "inputResponses": responses})
        message = received and received.answer(request_id)
        if message:
            self.take_missing(task_id, message)
            if "result" in message and not bad:
                check_kept(self.world, self.owner_key, task_id, chosen)
            if "result" in message and self.world.random.random() < 0.8:
                self.requests.pop(task_id, None)

    def cancel(self, task_id: str | None) -> None:
        """Cancel a task."""
        if task_id is None:
            return
        self.world.trace.say(f"  {self.world.trace.name(task_id)}")
        self.ledger.unwanted.add(task_id)
        request_id, received = self.post("tasks/cancel", {"taskId": task_id})
        message = received and received.answer(request_id)
        if message:
            self.take_missing(task_id, message)
            if "result" in message:
                self._must_be_over(task_id)

    def listen(self) -> None:
        """Listen for what becomes of tasks: of those that have ended, it is sent at once."""
        mine = self.ledger.tasks_of(self.owner_key)
        chosen = self.world.random.sample(mine, min(3, len(mine)))
        listened = [task for _, task in self.world.store.tasks() if task.id in chosen]
        # Somebody else's is not followed, and not mentioned.
        others = self.ledger.tasks_of(self.owner_key, others=True)
        chosen += [self.world.apart.choice(others)] if others and self.world.apart.random() < PRIES else []
        request_id, received = self.post("subscriptions/listen", {"notifications": {"taskIds": chosen}})
        if received is None:
            return
        told = [each["params"] for each in received.messages if each.get("method") == "notifications/tasks"]
        for shown in told:
            self._show(received, shown)
        answer = received.answer(request_id) or {}
        if "result" in answer:
            check_told(self.world, self.caller, listened, [shown["taskId"] for shown in told])
            check_listens_again(self.world, answer["result"])

    def _call(
        self, params: Mapping[str, Any], meta: Mapping[str, str], call: CallRecord, *, declares: bool, key: str | None
    ) -> Any:
        """Call a tool and take what comes of it; returns the answer, if there is one."""
        since, patience = self.world.clock.now(), called(self.world)
        request_id, received = self.post("tools/call", params, declares=declares, meta=meta, call=call)
        message = received and received.answer(request_id)
        if not received or not message:
            return None
        result = message.get("result")
        check_in_time(self.world, received.paused, result or {})
        if result is None:
            self.world.trace.say(f"  rejected:  {message['error']['code']}")
            if not is_ours(message) and "requestState" not in params:
                check_plain(self.world, call.tasks, message)
        elif result["resultType"] == "task":
            self.take_task(received.floor, result, key)
            check_task(self.world, self.owner_key, patience, params["name"], result)
        elif result["resultType"] == "input_required":
            check_asks(self.world, self.caller, call.tasks, result["inputRequests"])
            call.asks_for(result["inputRequests"])
            same = {name: value for name, value in params.items() if name not in ("requestState", "inputResponses")}
            trip = RoundTrip(
                owner_key=self.owner_key,
                params=same,
                meta=meta,
                declares=declares,
                state=result["requestState"],
                requests=result["inputRequests"],
                call=call,
                since=since,
                until=self.world.clock.now(),
            )
            self.trips.append(trip)
            self.calls.given.append(trip)
        elif params["name"] in INLINE and not result["isError"]:
            self.calls.completed(call, result)
        else:
            self.take_task_handle(result, key)
            check_plain(self.world, call.tasks, message)
            check_handle(self.world, self.owner_key, patience, result)
        return message

    def _show(self, received: Received, task: Mapping[str, Any]) -> None:
        self.take_task(received.floor, task)
        check_detailed(self.world, task)
        requests = task.get("inputRequests")
        if requests:
            self.requests[task["taskId"]] = requests
        if "result" in task or "error" in task:
            self.ledger.end(task["taskId"], task)

    def _must_be_over(self, task_id: str) -> None:
        """Demand that what was cancelled has ended, one way or another."""
        task = self.world.store.find(task_id)
        over = task is None or is_final(task)
        self.world.demand(over, f"{self.world.trace.name(task_id)} was cancelled, and is not over")
