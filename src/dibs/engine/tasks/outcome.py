"""What a handler may return instead of a result."""

from datetime import timedelta

import msgspec


class Snooze(msgspec.Struct, frozen=True):
    """Not now: try again after `delay`. Costs no attempt."""

    delay: timedelta
    reason: str = ""


class Cancel(msgspec.Struct, frozen=True):
    """Not needed any more: the job becomes cancelled."""

    reason: str = ""


class Fail(msgspec.Struct, frozen=True):
    """Never: the job fails for good, whatever retries are left."""

    reason: str


Outcome = Snooze | Cancel | Fail
