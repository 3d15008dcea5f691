"""What `await_task` needs, whose processes hold connections: memory, and CPU time."""
