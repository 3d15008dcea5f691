"""Where a server's tools are."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Tools:
    """A folder with the tools' code in `python/` and their packages in `requirements.txt`, if they need any.

    `module` is what has the list `TOOLS`.
    """

    folder: str | Path
    module: str = "tools"
