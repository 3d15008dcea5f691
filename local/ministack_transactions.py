"""What the emulator gets wrong about transactions that come again."""

import contextvars
import copy

from ministack.services import dynamodb

_sent = contextvars.ContextVar("sent")


def compare_as_sent():
    """Compare a transaction that comes again with the first one as that was sent.

    The emulator compares it with what that one has become: its numbers and sets are normalised, as they are stored.
    """
    transact, store = dynamodb._transact_write_items, dynamodb._txn_token_store

    def transact_as_sent(data):
        request = {name: value for name, value in data.items() if name != "ClientRequestToken"}
        token = _sent.set(copy.deepcopy(request))
        try:
            return transact(data)
        finally:
            _sent.reset(token)

    def store_as_sent(token, entry):
        store(token, {**entry, "signature": _sent.get(entry["signature"])})

    dynamodb._transact_write_items, dynamodb._txn_token_store = transact_as_sent, store_as_sent
