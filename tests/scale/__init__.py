"""What many who wait ask of an account: the real policy of when to look again, over simulated waits."""
