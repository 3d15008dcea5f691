"""`python -m tests.isolation`: print what each role of the examples' stage reaches, as in `golden/matrix.txt`."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.infra.assembly import UNBUNDLED, synthesise
from tests.isolation.matrix import counted, matrix
from tests.isolation.stage import Stage

with TemporaryDirectory() as folder:
    stage = Stage(synthesise(Path(folder), UNBUNDLED))
    print("\n".join(matrix(stage).values()), end="")
    every, reached = counted(stage)
    print(f"{every:,} cells, {reached} of them allowed", file=sys.stderr)
