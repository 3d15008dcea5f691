"""Implementations of the ports: on AWS, and in the memory of one process."""
