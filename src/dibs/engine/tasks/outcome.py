"""What a handler may return instead of a result."""

from datetime import datetime, timedelta

import msgspec

from dibs.errors import PermitRefused

# How long a job waits for a source of which nobody knows when it may be asked again.
UNKNOWN_WAIT = timedelta(seconds=5)


class Snooze(msgspec.Struct, frozen=True):
    """Not now: try again after `delay`, and not before `until`, an instant of the store's clock. Costs no attempt."""

    delay: timedelta = timedelta(0)
    reason: str = ""
    until: datetime | None = None


class Cancel(msgspec.Struct, frozen=True):
    """Not needed any more: the job becomes cancelled."""

    reason: str = ""


class Fail(msgspec.Struct, frozen=True):
    """Never: the job fails for good, whatever retries are left."""

    reason: str


Outcome = Snooze | Cancel | Fail


def wait_for_permit(refused: PermitRefused) -> Snooze:
    """Make of a refused permit the outcome that it stands for."""
    delay = UNKNOWN_WAIT if refused.until is None else timedelta(0)
    return Snooze(delay, reason=str(refused), until=refused.until)
