"""The stage that a command is for: `local`, that of `make stack`, or one on AWS, with the credentials that are set."""

import argparse
import os
import re
from pathlib import Path
from socket import gaierror
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError, EndpointConnectionError
from botocore.parsers import ResponseParserError

from local.emulator import aws_environment
from local.ports import port_number

UNREADABLE: Final = (BotoCoreError, ClientError, ResponseParserError)
"""The errors of botocore where no stage answers, or something else does; `reason` makes a sentence of each."""

NO_TOKEN: Final = "TOKEN should be the access token of a subject, without spaces, and without Bearer before it"


class Refused(Exception):
    """What was asked for cannot be done; the text says why."""


def given_token() -> str | None:
    """Return the token that the environment has, or None for none, and for what no header takes.

    HTTP libraries fail at that with a message that quotes it.
    """
    token = os.environ.get("TOKEN", "")
    return token if re.fullmatch("[!-~]+", token) else None


def reason(error: Exception) -> str:
    """Return in a sentence why a stage cannot be read, where nothing runs, or something else does."""
    if isinstance(error, ConnectionRefusedError):
        return "nothing answers at this address: start the server, or name another URL."
    if isinstance(error, gaierror):
        return "there is no host of this name: name another URL."
    if isinstance(error, EndpointConnectionError):
        return (
            f"nothing answers at {error.kwargs['endpoint_url']}: start make stack, or name its PORT or another STAGE."
        )
    if isinstance(error, ResponseParserError) or (isinstance(error, ClientError) and _code(error).isdigit()):
        return "what answers there is not AWS, nor the emulator of make stack: name the PORT of that, or another STAGE."
    if isinstance(error, ClientError) and "does not exist" in str(error) and error.operation_name == "DescribeStacks":
        return f"{error.response['Error']['Message']}: name the STACK that runs there, or another STAGE."
    return str(error)


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def stage_parser(command: str) -> argparse.ArgumentParser:
    """Return a parser of the arguments by which a command is told its stage."""
    parser = argparse.ArgumentParser(prog=command)
    parser.add_argument("--stage", default="local")
    parser.add_argument("--stack", help="the name of the stack, if it is not made of the stage's")
    parser.add_argument("--port", type=port_number, default=4566, help="that of the stage local")
    return parser


def stack_of(given: argparse.Namespace) -> str:
    """Return the name of the stack that was named, having set the environment in which clients of AWS find it."""
    if given.stage == "local":
        os.environ |= aws_environment(f"http://127.0.0.1:{given.port}", Path.home())
    return given.stack or f"McpTaskServer-{given.stage}"
