"""Sends batches of messages, each to a server of its own, and says what broke."""

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from random import Random
from typing import Any, Final, Self

from mcp_tasks.testing.harness import package
from mcp_tasks.testing.replies import Reply
from tests.chance import seeded
from tests.fuzz.mutations import hostile, nearly
from tests.fuzz.speaker import Speaker
from tests.fuzz.stored import Stored
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness

BATCH: Final = 250
"""Messages to one server."""

MOST_MICROSECONDS: Final = 20_000
"""Microseconds of CPU time that a message may cost, many times what most do, and one more for each two bytes of it."""

AGAIN: Final = 3
"""How often a batch is repeated that has too expensive a message: another process may have made it so."""

KINDS: Final = ("valid", "valid", "nearly valid", "nearly valid", "hostile")


class Broken(Exception):
    """What a message broke: the message and the batch of it are named."""


@dataclass(slots=True)
class Tally:
    """How messages were answered, and how much CPU time each took by its length, in microseconds."""

    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    costs: list[tuple[float, int]] = field(default_factory=list)

    @property
    def too_expensive(self) -> set[int]:
        """The places of the messages that cost too much."""
        return {place for place, (cost, length) in enumerate(self.costs) if cost > MOST_MICROSECONDS + length / 2}

    def __iadd__(self, other: Self) -> Self:
        self.answers += other.answers
        self.costs += other.costs
        return self


def fuzz(revision: str, batch: int, messages: int = BATCH) -> Tally:
    """Send one batch, the same at each call; raises `Broken`, also where a message costs too much each time."""
    tally = _sent(revision, batch, messages)
    too_expensive = tally.too_expensive
    for _ in range(AGAIN if too_expensive else 0):
        too_expensive &= _sent(revision, batch, messages).too_expensive
    if too_expensive:
        costs = [f"message {place} {tally.costs[place][0]:.0f} µs" for place in sorted(too_expensive)]
        raise Broken(f"of batch {batch} of {revision} cost too much: {', '.join(costs)}")
    return tally


def _sent(revision: str, batch: int, messages: int) -> Tally:
    random, tally = Random(f"{revision} {batch}"), Tally()
    with seeded(random):
        harness = Harness(ALL)
        stored = Stored.under_some_plan(harness, random)
        speaker: Speaker = import_module(f"tests.fuzz.{package(revision)}.speaker").Speaker(harness, random)
        for number in range(messages):
            kind = random.choice(KINDS)
            message = speaker.message()
            if {"id", "method"} <= message.keys():
                # Two requests of one id are the client's mistake, and neither's response could be told apart.
                message["id"] = random.choice((number, f"m{number}"))
            body = _body(kind, message, random)
            try:
                reply = _timed(speaker, body, tally)
                stored.check()
            except Exception as error:
                what = f"message {number} of batch {batch} of {revision}, {kind}: {_shown(body)}"
                raise Broken(f"{type(error).__name__}: {error}\nby {what}") from error
            tally.answers[kind, _named(reply)] += 1
            for each in reply.messages:
                speaker.memory.learn(each)
    return tally


def _body(kind: str, message: dict[str, Any], random: Random) -> bytes | dict[str, Any]:
    match kind:
        case "valid":
            return message
        case "nearly valid":
            return nearly(message, random, lambda: random.choice((None, 0, "", "x", [], {}, True, -1, 1e300, [[]])))
        case _:
            return hostile(message, random)


def _timed(speaker: Speaker, body: bytes | dict[str, Any], tally: Tally) -> Reply:
    began = time.process_time()
    reply = speaker.send(body)
    length = len(body) if isinstance(body, bytes) else len(json.dumps(body))
    tally.costs.append(((time.process_time() - began) * 1e6, length))
    return reply


def _named(reply: Reply) -> str:
    """Return how a message was answered: by its status, and the code of an error."""
    codes = sorted({str(each["error"]["code"]) for each in reply.messages if "error" in each})
    return " ".join([str(reply.status), *codes])


def _shown(body: bytes | dict[str, Any]) -> str:
    text = repr(body)
    return text if len(text) < 2_000 else f"{text[:1_000]} ... {text[-300:]}"
