"""The engine: the lifecycle of tasks, the runs of their tools, and what repeats side effects after a crash."""
