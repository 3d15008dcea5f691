"""What stands where no default was given, since None could be one."""

from typing import Final, final


@final
class Unset:
    """Nothing was given."""

    def __repr__(self) -> str:
        """Write it as it is written."""
        return "UNSET"


UNSET: Final = Unset()
