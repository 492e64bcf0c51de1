"""Looking a store over: what is wrong, and what to do about it."""

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Protocol

import msgspec

from dibs.errors import StoreAccessDenied, StoreError


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


Check = Callable[[], Awaitable[Sequence[Finding]]]


async def surely(topic: str, check: Check) -> Sequence[Finding]:
    """Look at one thing; what the store does not answer becomes a warning, and the next thing can be looked at."""
    try:
        return await check()
    except StoreError as error:
        is_denied = isinstance(error, StoreAccessDenied)
        advice = "Grant this user the right to look." if is_denied else "Try again; the store's own log may say more."
        return [warning(topic, f"could not be looked at: {error}", advice)]


class Examiner(Protocol):
    """What only the backend itself can look at."""

    async def examine(self) -> list[Finding]:
        """Look at everything; never change anything."""
