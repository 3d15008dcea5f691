"""The domain: what a task is, what can happen to it, and which state may follow which."""
