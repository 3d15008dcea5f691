"""Whoever is somebody else, or nobody, tries everything that a client can send: tokens, headers, names of objects."""
