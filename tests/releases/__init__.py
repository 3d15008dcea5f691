"""What each release stored and sent, kept in a folder of its own, and read by the newest code."""
