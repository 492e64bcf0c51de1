"""Small things that services have to see to from time to time, beside jobs."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import msgspec


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """Done every so often by one worker at a time. Two that do it at once must do no harm.

    One that `makes_jobs` is not done by workers that leave when nothing is left: they would never leave.
    """

    name: str
    every: timedelta
    do: Callable[[], Awaitable[object]]
    makes_jobs: bool = False
