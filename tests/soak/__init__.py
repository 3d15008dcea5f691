"""An hour of load on the emulator, with faults: `make soak` says what was lost, what is left over, and what grows."""
