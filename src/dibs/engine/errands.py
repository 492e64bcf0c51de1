"""Small things that services have to see to from time to time, beside jobs."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import msgspec


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """Done every so often by one worker at a time. Two that do it at once must do no harm."""

    name: str
    every: timedelta
    do: Callable[[], Awaitable[object]]
