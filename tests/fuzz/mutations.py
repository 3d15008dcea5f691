"""Makes valid messages nearly valid, and bodies that are hostile."""

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

LONG: Final = 20_000
DEEP: Final = 5_000

LARGE, OF_LARGE = 1_000_000, 0.02
"""Bytes, about, of the longest messages, and how many of the hostile ones are that long: their parts are many."""

Place = tuple[Any, Any]
"""What holds a value, and under which name or number."""


def nearly(message: dict[str, Any], random: Random, anything: Callable[[], Any]) -> dict[str, Any]:
    """Return a copy of the message with one to three things wrong."""
    wrong: dict[str, Any] = json.loads(json.dumps(message))
    for _ in range(random.randint(1, 3)):
        holder, name = random.choice([*_places(wrong)])
        match random.choice(("drop", "replace", "rename", "add", "nest", "twice")):
            case "drop":
                del holder[name]
            case "replace":
                holder[name] = anything()
            case "rename" if isinstance(holder, dict):
                holder[f"{name}s"] = holder.pop(name)
            case "add" if isinstance(holder, dict):
                holder[random.choice(("task", "_meta", "id", "extra", ""))] = anything()
            case "twice" if isinstance(holder, list):
                holder.append(holder[name])
            case _:
                holder[name] = [holder[name]]
        if not wrong:
            break
    return wrong


def hostile(message: dict[str, Any], random: Random) -> bytes:
    """Return a body that no client sends by mistake."""
    body = json.dumps(message).encode()
    if random.random() < OF_LARGE:
        return random.choice(_large(message))()
    ways: Sequence[Callable[[], bytes]] = (
        lambda: body[: random.randrange(len(body))],
        lambda: body.replace(b'"', b"'"),
        lambda: b"[" * DEEP + b"]" * DEEP,
        lambda: b'{"a":' * DEEP + b"1" + b"}" * DEEP,
        lambda: json.dumps(message | {"id": "x" * LONG}).encode(),
        lambda: json.dumps(message | {"params": {str(each): each for each in range(LONG // 10)}}).encode(),
        lambda: body.replace(b"{", b'{"jsonrpc":"2.0","id":1,', 1),
        lambda: body.replace(b":", b":\xff", 1),
        lambda: body[:-1] + b',"\\ud800":"\\udfff\\u0000"}',
        lambda: body[:-1] + b',"id":' + b"9" * LONG + b"}",
        lambda: body[:-1] + b',"id":1e999}',
        lambda: b"\xef\xbb\xbf" + body,
        lambda: json.dumps([message] * random.randint(0, 60)).encode(),
        lambda: bytes(random.randrange(256) for _ in range(random.randrange(200))),
        lambda: body + body,
        lambda: json.dumps(message).encode("utf-16"),
    )
    return random.choice(ways)()


def _large(message: dict[str, Any]) -> Sequence[Callable[[], bytes]]:
    """Return what makes a message so large that whatever is not linear shows."""

    def with_arguments(arguments: Any) -> bytes:
        return json.dumps(message | {"params": {**_params(message), "arguments": arguments}}).encode()

    return (
        lambda: with_arguments({"text": "x" * LARGE}),
        lambda: with_arguments({"text": '"\\\u00e9' * (LARGE // 10)}),
        lambda: with_arguments({"text": [0] * (LARGE // 4)}),
        lambda: with_arguments({f"name {each}": each for each in range(LARGE // 25)}),
        lambda: json.dumps(message | {"method": "x" * LARGE}).encode(),
        lambda: json.dumps([message] * (LARGE // 200)).encode(),
        lambda: b"[" * LARGE,
        lambda: b'"' + b"\\u00e9" * (LARGE // 6),
        lambda: b" " * LARGE + json.dumps(message).encode(),
        lambda: b"9" * LARGE,
        lambda: b"0." + b"9" * LARGE,
    )


def _params(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _places(value: Any) -> Iterator[Place]:
    """Yield the place of every value within another."""
    names: Any = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for name in [*names]:
        yield value, name
        yield from _places(value[name])
