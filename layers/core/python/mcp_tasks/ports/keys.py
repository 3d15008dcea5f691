"""The secrets that sign and encrypt the values that clients carry for the server, and that authenticate audit records.

Whatever wires a process says here where the keys of its audit records are: the package that writes these is imported
with the first of them.
"""

from typing import Protocol


class Keys(Protocol):
    """The signing keys, of which a new one is made each month; encryption keys are derived from them."""

    def current(self) -> tuple[str, bytes]:
        """Return the name and the value of the key to sign with now."""

    def find(self, name: str) -> bytes | None:
        """Return the value of a key that is still valid for verifying, or None if there is none of that name."""


_AUDIT_KEYS: list[Keys] = []


def use_audit_keys(keys: Keys | None) -> None:
    """Have this process authenticate its audit records by these keys, or by none."""
    _AUDIT_KEYS[:] = [] if keys is None else [keys]


def audit_keys() -> Keys | None:
    """Return the keys of this process's audit records, None where it has none."""
    return _AUDIT_KEYS[0] if _AUDIT_KEYS else None
