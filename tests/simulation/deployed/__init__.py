"""What of the simulator belongs to a release."""
