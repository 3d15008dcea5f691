"""What a task is: its model, what can happen to it, and the law of its states."""
