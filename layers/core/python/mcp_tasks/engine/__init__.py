"""What drives tasks: their lifecycle, the runs of their tools, and what repeats work that a crash cut short."""
