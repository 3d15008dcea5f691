"""The ports in memory, for one process."""
