"""The ports in the memory of one process, for `make serve` and tests."""
