"""State machines of every kind that a file may define."""
