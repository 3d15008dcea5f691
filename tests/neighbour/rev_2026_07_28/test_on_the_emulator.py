"""What `make bench` measures on the emulator is what it says; how long it takes is no test's business."""

import subprocess
import sys
from subprocess import PIPE

import pytest

from tests.neighbour.rev_2026_07_28.load import cpu_seconds
from tests.neighbour.rev_2026_07_28.on_the_emulator import PLAN, measure

BURNT = 0.2


def test_the_time_of_a_group_counts_with_the_processes_that_have_ended() -> None:
    burn = f"import time\nwhile time.process_time() < {BURNT}: pass"
    run = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"
    parent = f"{run}; print('ended', flush=True); input()"
    command = [sys.executable, "-c", parent]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ended\n"
        taken = cpu_seconds([process.pid], [])
        process.kill()

    assert taken >= BURNT * 0.9


@pytest.mark.slow
def test_a_greedy_tenant_is_refused_what_its_plan_does_not_allow() -> None:
    measured = measure(rounds=1, cycles=5)
    served, refused, _ = measured.flood

    assert served > 0
    assert refused > 0
    assert measured.used["queued"] > 0
    assert 0 < measured.used["running"] <= PLAN["running_tasks"]
    assert 0 < measured.used["held"] <= PLAN["held_waits"]
    assert all(phase.cpu > 0 and all(phase.figures.values()) for phase in measured.phases.values())
