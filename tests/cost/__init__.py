"""What the server costs: what AWS would bill is counted on the emulator, and multiplied with a table of list prices."""
