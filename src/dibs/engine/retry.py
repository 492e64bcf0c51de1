"""When a failed job is tried again."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import cast

import msgspec

from dibs.engine.failure import FailureKind, RemoteError, classify_error, describe_error
from dibs.engine.job import Job
from dibs.engine.store.checks.values import check_span, shown
from dibs.engine.store.moves import Failure
from dibs.errors import BadInput
from dibs.kit.backoff import exponential


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """base · factor^n, at most `cap`, spread by up to `jitter` of itself in either direction."""

    base: timedelta = timedelta(seconds=10)
    factor: float = 2.0
    cap: timedelta = timedelta(hours=24)
    jitter: float = 0.1
    classify: Callable[[BaseException], FailureKind] = classify_error

    def __post_init__(self) -> None:
        for field in ("base", "cap"):
            check_span(getattr(self, field), f"{field} of a RetryPolicy")
        for field, least, most in (("factor", 1.0, 1_000.0), ("jitter", 0.0, 1.0)):
            _check_number(getattr(self, field), field, least, most)
        if not callable(cast("object", self.classify)):
            message = f"classify {shown(self.classify)} of a RetryPolicy: use a function that takes an error."
            raise BadInput(message)

    def delay(self, errors: int, *, chance: Callable[[], float] = random.random) -> timedelta:
        """Give the pause after the error number `errors` (0 is the first)."""
        pause = exponential(self.base, factor=self.factor, cap=self.cap, step=errors)
        spread = 1 + self.jitter * (2 * chance() - 1)
        return min(pause * spread, self.cap)

    def judge(self, job: Job, error: BaseException, *, chance: Callable[[], float] = random.random) -> Failure:
        """Say what the failure of a claimed job means; the store decides whether retries are left."""
        return Failure(
            lease=job.lease,
            error=describe_error(error),
            kind=error.kind if isinstance(error, RemoteError) else self.classify(error),
            retry_in=self.delay(job.errors, chance=chance),
        )


def _check_number(value: object, field: str, least: float, most: float) -> None:
    if not isinstance(value, (int, float)) or not least <= value <= most:
        message = f"{field} {shown(value)} of a RetryPolicy: use a number from {least:g} to {most:g}."
        raise BadInput(message)
