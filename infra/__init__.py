"""What exists in AWS: one construct a unit, and one stack that hands them to each other."""
