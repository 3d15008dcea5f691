"""The protocol: reads HTTP requests, calls the engine and renders what it returns, without any I/O of its own."""
