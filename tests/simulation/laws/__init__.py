"""What must hold, by what it is about.

- `stored`: tasks as they are stored, their quota, their executions, and the steps of their tools
- `shown`: tasks as clients are shown them
"""
