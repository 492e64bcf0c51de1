"""Loggers that cost nothing before their first line: structlog and what it brings along take long to import."""

import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

MOST_FRAMES = 30


class LazyLogger:
    """A logger of structlog, asked for when it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, method: str) -> Any:
        return getattr(import_module("structlog").get_logger(self._name), method)


def get_logger(name: str) -> Any:
    """Give the logger of a part of Dibs."""
    return LazyLogger(name)


def trace_of(error: BaseException) -> dict[str, Any]:
    """Tell of an error what a log may hold: its class, those behind it, and its place. What it says may be payload."""
    classes: list[str] = []
    one: BaseException | None = error
    while one is not None and len(classes) < MOST_FRAMES:
        classes.append(type(one).__name__)
        one = one.__cause__ or one.__context__
    frames = traceback.extract_tb(error.__traceback__)[-MOST_FRAMES:]
    places = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": classes[0], "causes": classes[1:], "trace": places}
