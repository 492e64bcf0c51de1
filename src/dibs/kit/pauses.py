"""How long to wait before asking again."""

import random
from collections.abc import Callable
from datetime import timedelta

FIRST_PAUSE = timedelta(milliseconds=100)
LONGEST_PAUSE = timedelta(seconds=5)


def jittered(span: timedelta, *, spread: float = 0.2, chance: Callable[[], float] = random.random) -> timedelta:
    """Shift a pause by up to `spread` of itself, so that many who wait do not ask at once."""
    return span * (1 + spread * (2 * chance() - 1))
