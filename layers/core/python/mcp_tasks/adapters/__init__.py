"""The ports, kept: on AWS and in memory."""
