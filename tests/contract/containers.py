"""How many values an object keeps, in all containers that it reaches."""

from typing import Any


def values_in(root: Any) -> int:
    """Count the entries of the dictionaries, lists and sets that an object of the memory adapters reaches."""
    count, seen, left = 0, {id(root): root}, [root]
    while left:
        thing = left.pop()
        if isinstance(thing, dict | list | set | tuple):
            count += 0 if isinstance(thing, tuple) else len(thing)
            parts = [*thing.values()] if isinstance(thing, dict) else [*thing]
        elif "memory" in type(thing).__module__:
            names = getattr(thing, "__slots__", None) or vars(thing)
            parts = [getattr(thing, name) for name in names]
        else:
            parts = []
        new = {id(part): part for part in parts if id(part) not in seen}
        seen |= new
        left += new.values()
    return count
