"""`python -m local serve`, `stack` or `demo`: runs the command, which Ctrl-C ends without a traceback at any moment."""

import signal
import sys
from importlib import import_module

from local.processes import leave

if __name__ == "__main__":
    # Nothing is there to be cleaned up while modules are imported, which may take a second.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    leave(import_module(f"local.{sys.argv.pop(1)}").main())
