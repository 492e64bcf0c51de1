"""Loggers that cost nothing before their first line: structlog and what it brings along take long to import."""

from importlib import import_module
from typing import Any


class LazyLogger:
    """A logger of structlog, asked for when it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, method: str) -> Any:
        return getattr(import_module("structlog").get_logger(self._name), method)


def get_logger(name: str) -> Any:
    """Give the logger of a part of Dibs."""
    return LazyLogger(name)
