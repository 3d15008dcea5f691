"""A harness on which a tool plays as a task, start to finish, in this process: moto, the real handlers, and a clock."""
