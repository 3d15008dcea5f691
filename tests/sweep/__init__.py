"""How soon the sweep finds lost work among many tasks: the real code, in a region whose capacities are modelled."""
