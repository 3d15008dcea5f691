"""State machines for the tests of the harness, beside the default one."""
