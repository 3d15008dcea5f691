"""The tools of the shop, of which no client knows."""


def titled(name: str) -> str:
    """Return a name as a title."""
    return name.title()
