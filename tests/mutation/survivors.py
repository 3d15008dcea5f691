"""The list of mutants that survive, `survivors.txt`: under each reason, the functions, and of each the changed lines.

A mutant is named by its module, its function and its change, so that an edit elsewhere does not rename it:

    Why no test can, or need, notice these.
        tasks/pace.py: backoff
            - the line as it is
            + the line as mutated
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LISTED = Path(__file__).with_name("survivors.txt")
FUNCTION = re.compile(r"    (?P<module>\w+(/\w+)*\.py): (?P<function>\S+)")
CHANGE = re.compile(r"        - (?P<before>.*)\n        \+ ?(?P<after>.*)")


class Mutant(NamedTuple):
    """A change to one function; of several changed lines each is stripped, and they are joined."""

    module: str
    function: str
    before: str
    after: str

    def __str__(self) -> str:
        """Return the entry of the list."""
        return f"    {self.module}: {self.function}\n        - {self.before}\n        + {self.after}".rstrip()


def listed(text: str) -> Iterator[tuple[str, Mutant]]:
    """Yield each entry's reason and mutant; one that is listed twice is two changes that look alike.

    Raises:
        ValueError: An entry has no reason, or a line belongs to none.
    """
    for block in filter(None, re.split(r"\n\n+", text.strip("\n"))):
        reason, place = [], None
        lines = iter(block.split("\n"))
        for line in lines:
            if not line.startswith(" ") and place is None:
                reason.append(line)
            elif found := FUNCTION.fullmatch(line):
                place = found["module"], found["function"]
            elif (change := CHANGE.fullmatch(f"{line}\n{next(lines, '')}")) and place and reason:
                yield " ".join(reason), Mutant(*place, change["before"], change["after"])
            else:
                raise ValueError(f"this line of the survivors belongs to no entry with a reason: {line!r}")


def differences(found: Counter[Mutant], text: str, chosen: str) -> tuple[list[Mutant], list[Mutant]]:
    """Return the survivors that are not listed, and what is listed of the chosen modules and did not survive.

    `chosen` is a folder or a module, as in an entry.
    """
    known = Counter(mutant for _, mutant in listed(text) if is_of(mutant.module, chosen))
    return sorted((found - known).elements()), sorted((known - found).elements())


def is_of(module: str, chosen: str) -> bool:
    """Return whether a module is the chosen one, or in the chosen folder."""
    return module == chosen or module.startswith(f"{chosen}/")
