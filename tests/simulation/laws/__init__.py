"""What must hold, by what it is about.

- `stored`: tasks as they are stored, their quota, their executions, and the steps of their tools
- `shown`: tasks as clients are shown them
- `calls`: a call over all its round trips, and the task that it becomes
- `streams`: what the streams of a session carry, and `carried`: what they have to
- `handles`: how long a call waits before it is answered with the handle of its task
"""
