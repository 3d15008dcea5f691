"""The stage that a command is for: `local`, that of `make stack`, or one on AWS, with the credentials that are set."""

import argparse
import os
from pathlib import Path

from local.emulator import aws_environment


class Refused(Exception):
    """What was asked for cannot be done; the text says why."""


def stage_parser(command: str) -> argparse.ArgumentParser:
    """Return a parser of the arguments by which a command is told its stage."""
    parser = argparse.ArgumentParser(prog=command)
    parser.add_argument("--stage", default="local")
    parser.add_argument("--stack", help="the name of the stack, if it is not made of the stage's")
    parser.add_argument("--port", type=int, default=4566, help="that of the stage local")
    return parser


def stack_of(given: argparse.Namespace) -> str:
    """Return the name of the stack that was named, having set the environment in which clients of AWS find it."""
    if given.stage == "local":
        os.environ |= aws_environment(f"http://127.0.0.1:{given.port}", Path.home())
    return given.stack or f"McpTaskServer-{given.stage}"
