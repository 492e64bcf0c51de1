"""Growing pauses."""

from datetime import timedelta


def exponential(base: timedelta, *, factor: float, cap: timedelta, step: int) -> timedelta:
    """Give the pause before try number `step` (0 is the first): base · factor^step, at most `cap`."""
    try:
        seconds = base.total_seconds() * factor**step
    except OverflowError:
        return cap
    return cap if seconds >= cap.total_seconds() else timedelta(seconds=seconds)
