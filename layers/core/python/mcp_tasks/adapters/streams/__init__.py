"""Waiting on the table's stream."""
