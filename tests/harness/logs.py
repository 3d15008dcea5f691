"""What the functions on the harness log, as Lambda's runtime or Powertools would write it."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from awslambdaric.lambda_runtime_log_utils import JsonFormatter

OVERHEAD = 26
"""Bytes that CloudWatch Logs counts of each record beside the record."""

REQUEST_ID = "0b3d3a8e-6a6e-4a0e-9d42-1d3c0b6a7f55"
RELEASE = "0123456789abcdef"


class Lines(logging.Handler):
    """Keeps what Lambda's runtime, or Powertools, would write of each record."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        record.release = RELEASE
        handlers = (each for each in logging.getLogger(record.name).handlers if each is not self)
        powertools = next((each.formatter for each in handlers if each.formatter), None)
        if powertools is None:
            record.aws_request_id = REQUEST_ID
        self.keep((powertools or JsonFormatter()).format(record).strip())

    def keep(self, line: str) -> None:
        """Keep a line."""
        self.lines.append(line)

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Return what was logged of requests, without what every record has."""
        every = {"timestamp", "level", "message", "logger", "requestId", "release"}
        return [
            {name: value for name, value in record.items() if name not in every}
            for record in self.records
            if record["message"] == "answered"
        ]

    @property
    def size(self) -> int:
        return sum(len(line.encode()) + OVERHEAD for line in self.lines)


@contextmanager
def kept(handler: logging.Handler) -> Iterator[None]:
    """Have a handler given all that is logged, by whichever logger, for as long as the block lasts."""
    loggers = [logging.getLogger()] + [
        logger
        for logger in logging.Logger.manager.loggerDict.values()
        if isinstance(logger, logging.Logger) and logger.handlers and not logger.propagate
    ]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
