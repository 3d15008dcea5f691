"""Bytes to service and back; does no I/O of its own."""
