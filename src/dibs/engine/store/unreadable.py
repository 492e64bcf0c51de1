"""What somebody has put into the audit log that cannot be read stands for itself.

Whoever spoils one entry must hide no other, and no seal fits what stands there now.
"""

from datetime import datetime
from typing import Any

import msgspec

from dibs.kit.clock import EPOCH, from_micros
from dibs.kit.codec import decode_json

_LONGEST = 200
_FAULTS = (TypeError, ValueError, OverflowError, msgspec.DecodeError)


def find_moment(micros: Any) -> datetime:
    """Give an instant; the first of all where there is none."""
    try:
        return from_micros(int(micros))
    except _FAULTS:
        return EPOCH


def find_detail(text: Any) -> Any:
    """Read a detail; if it is none, what stands in its place."""
    try:
        return None if text is None else decode_json(text)
    except _FAULTS:
        return {"unreadable": str(text)[:_LONGEST]}


def find_number(text: Any) -> int | None:
    """Read a whole number; None where there is none."""
    try:
        return int(text)
    except _FAULTS:
        return None
