"""A stage in simulated time through four hundred days."""
