"""Hashes of names: what may be long, or no text to a database, is kept under its hash."""

import hashlib


def hashed(name: str) -> str:
    """Return the hash of a name that a client or a tool may choose, as 64 letters and digits."""
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
