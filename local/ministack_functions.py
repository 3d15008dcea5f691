"""How the emulator runs functions: started anew where their code was changed, and what they write is in one file."""

import contextlib
import os
import time

from ministack.core import lambda_runtime
from ministack.services import lambda_svc
from ministack_versions import end


def name_deaths():
    """Name the death of a process that begins as AWS names any; the emulator calls it `Runtime.Unknown`."""
    await_init = lambda_runtime.ProvidedWorker._await_init

    def wait(worker, *timeout):
        try:
            await_init(worker, *timeout)
        except RuntimeError as error:
            if str(error).startswith("bootstrap exited"):
                error.error_type = "Runtime.ExitError"
            raise

    lambda_runtime.ProvidedWorker._await_init = wait


def renew_functions():
    """Start a function anew where its code was changed after it started; what it runs meanwhile, it runs to the end.

    The code is not in the functions' assets: it is that of the working tree.
    """
    acquire = lambda_svc.acquire_worker

    def acquire_renewed(*function, **options):
        worker, reason = acquire(*function, **options)
        while reason == "reused" and worker.acquired < _changed():
            _discard(worker)
            worker, reason = acquire(*function, **options)
        if reason == "spawn":
            worker.acquired = time.time()
        return worker, reason

    lambda_svc.acquire_worker = acquire_renewed


def copy_output():
    """Copy what functions write to a file, as they write it; the emulator logs it when their invocation ends."""
    pump = lambda_runtime.ProvidedWorker._pump_output

    def pump_and_copy(worker, stream, log_queue):
        with open(os.environ["FUNCTIONS_OUTPUT"], "ab", buffering=0) as output:
            pump(worker, _Copied(stream, output), log_queue)

    lambda_runtime.ProvidedWorker._pump_output = pump_and_copy


class _Copied:
    def __init__(self, stream, output):
        self.close = stream.close
        self._stream = stream
        self._output = output

    def readline(self):
        line = self._stream.readline()
        self._output.write(line)
        return line


def _changed():
    with contextlib.suppress(FileNotFoundError):
        return os.stat(os.environ["RENEWED"]).st_mtime
    return 0


def _discard(worker):
    with lambda_runtime._lock:
        for workers in lambda_runtime._workers.values():
            if worker in workers:
                workers.remove(worker)
    end([worker])
