"""Checks of the engine, the store and the host, each replaced by one that lies: it always says what lets more through.

The one that nothing can replace is that of a ticket's signature, which says whose task a run is of.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final, TypeAlias

from tests.kit import NOON

Lie: TypeAlias = Mapping[str, Callable[..., Any]]
"""What takes the place of each function, by the name under which it is used."""

CORE: Final = "mcp_tasks"
ENGINE, STORE, HOST = f"{CORE}.engine", f"{CORE}.adapters.dynamodb", f"{CORE}.run_host"
IS_FINAL: Final = (
    *(f"{ENGINE}.task_host.is_final", f"{ENGINE}.operations.is_final"),
    *(f"{STORE}.actions.is_final", f"{STORE}.counting.is_final"),
)


def _as_it_is(value: Any, *_: Any) -> Any:
    return value


def _unread(sent: Any, shapes: Mapping[str, Any]) -> Any:
    return {name: sent.get(name) for name in shapes}


def _yes(*_: Any) -> bool:
    return True


def _no(*_: Any) -> bool:
    return False


def _nothing(*_: Any, **__: Any) -> None:
    return None


LIES: Final[Mapping[str, Lie]] = {
    "nothing in a message is too long": {
        f"{HOST}.shapes.limited": _as_it_is,
        f"{HOST}.reading.check_size": _nothing,
    },
    "everything in a message fits": {f"{HOST}.server.read_fields": _unread},
    "no task is over": dict.fromkeys(IS_FINAL, _no),
    "every task is over": dict.fromkeys(IS_FINAL, _yes),
    "every event may happen": {f"{ENGINE}.operations.advance": lambda task, event, now: task},
    "every task is live": {f"{STORE}.task_store.DynamoTaskStore._check_alive": _nothing},
    "every key can exist": dict.fromkeys((f"{STORE}.table.can_exist", f"{STORE}.task_store.can_exist"), _yes),
    "no item expires": {f"{STORE}.table.expires_at": lambda item: NOON + timedelta(days=9_000)},
    "every item is of this release": {f"{STORE}.table.check_schema": _nothing},
    "every name may be part of a key": dict.fromkeys(
        (f"{STORE}.task_store.hashed", f"{STORE}.change_feed.hashed"), _as_it_is
    ),
    "no signature is too old": {f"{CORE}.security.signing.is_over": _no},
}

FORGERY: Final[Lie] = {f"{CORE}.security.signing.hmac.compare_digest": _yes}
"""The lie that would let a holder reach everything."""


def every_condition_holds(params: dict[str, Any], **_: Any) -> None:
    """Make DynamoDB's conditions hold, as botocore sends them."""
    for request in (params, *(each for action in params.get("TransactItems", ()) for each in action.values())):
        if "ConditionExpression" in request:
            condition = request["ConditionExpression"]
            request["ConditionExpression"] = f"({condition}) OR attribute_exists(PK) OR attribute_not_exists(PK)"
