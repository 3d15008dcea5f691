"""`make scale`: simulates crowds of those who wait, and makes the table of docs/limits.md from what they ask."""

import json
import sys

from tests.cost.page import write
from tests.scale.figures import FILE, simulated

found = {}
for name, figures in simulated():
    found[name] = figures
    print(f"{name:<50} {json.dumps(figures)}", flush=True)
FILE.write_text(json.dumps(found, indent=1) + "\n")
write()
sys.exit(0)
