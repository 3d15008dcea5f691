"""What a terminal may be sent of a text that somebody else wrote."""


def printable(text: str) -> str:
    """Return the text with a question mark for each character that a terminal would act on, or not show."""
    return "".join(each if each.isprintable() else "?" for each in text)
