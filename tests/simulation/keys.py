"""The signing keys of a story, which are renewed at any moment; what was signed before stays valid."""

from random import Random

LENGTH = 32


class RenewedKeys:
    """`Keys` that keep all keys of before."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._keys: dict[str, bytes] = {}
        self.renew()

    def renew(self) -> None:
        """Sign with a new key from now on."""
        self._keys[f"key-{len(self._keys)}"] = self._random.randbytes(LENGTH)

    def current(self) -> tuple[str, bytes]:
        """Return the last key."""
        return list(self._keys.items())[-1]

    def find(self, name: str) -> bytes | None:
        """Return a key of any time."""
        return self._keys.get(name)
