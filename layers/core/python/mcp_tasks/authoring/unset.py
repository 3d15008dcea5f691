"""The marker for an absent default, since None could be one."""

from typing import Final, final


@final
class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        """Return the name of the marker."""
        return "UNSET"


UNSET: Final = Unset()
