"""What a tenant notices of its neighbour: the real code decides, on a stage whose capacities and time are modelled."""
