"""Looking a store over: what is wrong, and what to do about it."""

from enum import StrEnum
from typing import Protocol

import msgspec


class Severity(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    topic: str
    severity: Severity
    message: str
    advice: str = ""


def ok(topic: str, message: str) -> Finding:
    """Say that all is well."""
    return Finding(topic=topic, severity=Severity.OK, message=message)


def warning(topic: str, message: str, advice: str) -> Finding:
    """Say that it works, but."""
    return Finding(topic=topic, severity=Severity.WARNING, message=message, advice=advice)


def problem(topic: str, message: str, advice: str) -> Finding:
    """Say that it does not work, or soon will not."""
    return Finding(topic=topic, severity=Severity.PROBLEM, message=message, advice=advice)


class Examiner(Protocol):
    """What only the backend itself can look at."""

    async def examine(self) -> list[Finding]:
        """Look at everything; never change anything."""
