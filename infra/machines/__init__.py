"""State machines, one in each file, which a tool names by the file's name: `@tool(machine="remind_me")`.

A file defines a function `work(scope, functions)`, which returns the states; the output of the last one is the tool's
result.  `TIMEOUT`, if it is there, limits an execution as a whole, retries and waits included; without it that is eight
days.  A file whose name begins with an underscore holds what others import.
"""
