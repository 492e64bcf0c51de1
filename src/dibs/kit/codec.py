"""JSON in and out, strictly: what comes back is what went in, or it was refused."""

import math
from typing import Any

import msgspec

from dibs.errors import NotJson, PayloadTooLarge

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


def encode_json(value: object, *, limit: int, what: str) -> bytes:
    """Write `value` as JSON of at most `limit` bytes; `what` names it in errors."""
    try:
        encoded = _encoder.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError) as cause:
        message = f"{what} is not JSON ({cause}). Pass objects, lists, strings, numbers, booleans or None."
        raise NotJson(message) from cause
    if len(encoded) > limit:
        message = (
            f"{what} has {len(encoded)} bytes, over the limit of {limit}. Store it elsewhere and pass a reference."
        )
        raise PayloadTooLarge(message)
    # The encoder writes NaN and infinity as null: a silent change of the caller's data.
    if b"null" in encoded and _has_odd_number(value):
        message = f"{what} holds NaN or an infinity, which JSON cannot carry. Send None or a string instead."
        raise NotJson(message)
    return encoded


def decode_json(encoded: bytes | str) -> Any:
    """Read JSON that `encode_json` wrote."""
    return _decoder.decode(encoded)


def _has_odd_number(value: object) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(_has_odd_number(item) for item in value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(_has_odd_number(item) for item in value)
    return False
