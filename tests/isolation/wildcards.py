"""IAM's wildcards: `*` is any text, `?` is any character, and nothing else means anything."""

from functools import cache


@cache
def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches all of a text, in no more steps than the product of their lengths.

    "If the * wildcard is the last character of a resource ARN segment, it can expand to match beyond the colon
    boundaries." -- IAM User Guide, Resource.  Here each `*` does, which matches no less than AWS.
    """
    place = at = 0
    star, resumed = -1, 0
    while at < len(text):
        if place < len(pattern) and pattern[place] == "*":
            star, resumed, place = place, at, place + 1
        elif place < len(pattern) and pattern[place] in ("?", text[at]):
            place, at = place + 1, at + 1
        elif star >= 0:
            # The last `*` takes one character more; those before it need never change.
            resumed += 1
            place, at = star + 1, resumed
        else:
            return False
    return not pattern[place:].strip("*")
