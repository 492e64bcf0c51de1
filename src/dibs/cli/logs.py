"""Where log lines go: to stderr, for people on a terminal, as JSON elsewhere. None of them carries a payload."""

import logging
import os
import sys
from collections.abc import Mapping, MutableMapping
from enum import StrEnum
from typing import Any

from dibs.kit.log import get_logger, trace_of


class LogLevel(StrEnum):
    """From what on lines are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def set_up_logs(level: LogLevel) -> None:
    """Set structlog up, unless the app has done so itself."""
    import structlog

    _bring_plain_logs_along()
    if structlog.is_configured():
        return
    is_terminal = sys.stderr.isatty()
    has_colors = is_terminal and not os.environ.get("NO_COLOR")
    renderer = structlog.dev.ConsoleRenderer(colors=has_colors) if is_terminal else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            without_words,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        # One write a line: processes that share the stream never write into each other's lines.
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
    )


def without_words(_: object, __: str, line: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Put the class and the place of an error into a line, instead of a traceback with its words and values."""
    given = line.pop("exc_info", None)
    error = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    return {**line, **trace_of(error)} if isinstance(error, BaseException) else line


class _Forwarding(logging.Handler):
    """Brings lines of libraries into our log: who, and the fixed part of what was said. Their values may be payload."""

    def emit(self, record: logging.LogRecord) -> None:
        said = str(record.msg).splitlines()
        facts = {"logger": record.name, "said": said[0][:200] if said else ""}
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            facts |= trace_of(error)
        get_logger("dibs").log(record.levelno, "library.line", **facts)


def _bring_plain_logs_along() -> None:
    root = logging.getLogger()
    # An app that has set the root up means it so; otherwise Python would print everything, with tracebacks.
    if not root.handlers:
        root.addHandler(_Forwarding(logging.WARNING))
