"""What the code of a tool, a prompt or a resource may use: its context, what it can ask, what it can give."""
