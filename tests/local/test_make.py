"""The commands, as far as they can be looked at without running them."""

import re
import subprocess

from local.emulator import ROOT


def test_make_by_itself_lists_every_target() -> None:
    (targets,) = re.findall(r"^\.PHONY: help (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    # A make within a make, as under `make test`, would say that it enters the directory.
    command = ["make", "--no-print-directory"]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout

    assert [line.split()[1] for line in listed.splitlines()] == ["help", *targets.split()]
    assert all(len(line.split()) > 2 for line in listed.splitlines())
