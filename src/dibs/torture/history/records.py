"""The lines of a diary.

Instants are those of the machine's monotonic clock, which all its processes share and nobody can set. An operation
begins before the store can hear of it and ends after the store has answered; one that never ends may have happened.
"""

from enum import StrEnum
from typing import Any

import msgspec

# The type of jobs that operators purge once they are finished, and how their ids begin.
CHAFF = "CHAFF"


class Move(StrEnum):
    """What can be asked of a store: moves of jobs, and of named leases, whose names then stand for jobs."""

    ENQUEUE = "enqueue"
    CLAIM = "claim"
    COMPLETE = "complete"
    FAIL = "fail"
    SNOOZE = "snooze"
    DROP = "drop"
    HEARTBEAT = "heartbeat"
    PROGRESS = "progress"
    CANCEL = "cancel"
    RETRY = "retry"
    REAP = "reap"
    PRUNE = "prune"
    ACQUIRE = "acquire"
    RENEW = "renew"
    RELEASE = "release"


class Outcome(StrEnum):
    """What is known of an operation: it was done as answered, nothing was written, or nobody can tell."""

    OK = "ok"
    FAILED = "fail"
    UNKNOWN = "info"


class Asked(msgspec.Struct, frozen=True, kw_only=True, tag="asked"):
    """A process is about to ask. `waits` are seconds: the lease asked for, or the delay of each job."""

    number: int
    at: float
    move: Move
    jobs: list[str] = []
    tokens: list[int] = []
    waits: list[float] = []
    worker: str = ""


class Answered(msgspec.Struct, frozen=True, kw_only=True, tag="answered"):
    """It was told something, or could not tell."""

    number: int
    at: float
    outcome: Outcome
    answers: list[Any] = []
    error: str = ""


class Started(msgspec.Struct, frozen=True, kw_only=True, tag="started"):
    """A worker process is there."""

    worker: str
    pid: int
    at: float


class Began(msgspec.Struct, frozen=True, kw_only=True, tag="began"):
    """A handler begins to work on a job."""

    job: str
    token: int
    at: float
    pid: int


class Effected(msgspec.Struct, frozen=True, kw_only=True, tag="effected"):
    """A handler has done what it was there for, outside of any transaction."""

    job: str
    token: int
    at: float


Record = Asked | Answered | Started | Began | Effected
