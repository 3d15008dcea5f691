"""Makes valid messages nearly valid, and bodies that are hostile."""

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

LONG: Final = 20_000
DEEP: Final = 5_000

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


def _places(value: Any) -> Iterator[Place]:
    """Yield the place of every value within another."""
    names: Any = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for name in [*names]:
        yield value, name
        yield from _places(value[name])
