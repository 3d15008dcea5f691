"""What exists in AWS: one construct a unit, and one stack that hands them to each other."""

import sys
from pathlib import Path

# `app.py` is run as it stands, and the stack takes its defaults from the limits that the functions run with.
sys.path.append(str(Path(__file__).parents[1] / "layers/core/python"))
