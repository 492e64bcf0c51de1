"""Where a worker's log lines go: to stderr, for people on a terminal, as JSON elsewhere."""

import logging
import os
import sys
from enum import StrEnum


class LogLevel(StrEnum):
    """From what on lines are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def set_up_logs(level: LogLevel) -> None:
    """Set structlog up, unless the app has done so itself."""
    import structlog

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
            *([] if is_terminal else [structlog.processors.format_exc_info]),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
