"""State machines that bring resources of their own."""
