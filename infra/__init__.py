"""The CDK stack: one construct for each unit, and the stack that connects them."""

import sys
from pathlib import Path

# `app.py` runs without PYTHONPATH, and the stack takes its defaults from the limits that the functions run with.
sys.path.append(str(Path(__file__).parents[1] / "layers/core/python"))
