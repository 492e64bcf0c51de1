"""JSON in and out, strictly: what comes back is what went in, or it was refused."""

import math
from typing import Any

import msgspec

from dibs.errors import NotJson, PayloadTooLarge

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()
_PLAIN = (str, int, bool, type(None))


class Json(bytes):
    """Bytes that `encode_json` wrote: whoever holds some knows that they are JSON."""


NULL = Json(b"null")


def encode_json(value: object, *, limit: int, what: str) -> Json:
    """Write `value` as JSON of at most `limit` bytes; `what` names it in errors."""
    try:
        odd = find_odd(value)
        encoded = Json(_encoder.encode(value)) if odd is None else NULL
    except (TypeError, ValueError, OverflowError, RecursionError) as cause:
        message = f"{what} is not JSON ({cause})."
        raise NotJson(message) from cause
    if odd is not None:
        message = (
            f"{what} is not JSON: it holds {odd}. Use objects with string keys, lists, strings, numbers, true, None."
        )
        raise NotJson(message)
    if len(encoded) > limit:
        message = (
            f"{what} has {len(encoded)} bytes, over the limit of {limit}. Store it elsewhere and pass a reference."
        )
        raise PayloadTooLarge(message)
    return encoded


def decode_json(encoded: bytes | str) -> Any:
    """Read JSON that `encode_json` wrote."""
    return _decoder.decode(encoded)


def find_odd(value: object) -> str | None:
    """Describe the first thing in a value that JSON would not give back as it is; None if there is none."""
    kind = type(value)
    if kind in _PLAIN:
        return None
    if kind is dict:
        return _find_odd_in_object(value)  # type: ignore[arg-type]
    if kind is list:
        return next((odd for item in value if (odd := find_odd(item)) is not None), None)  # type: ignore[attr-defined]
    if isinstance(value, float):
        return None if math.isfinite(value) else f"the number {value}"
    return None if isinstance(value, _PLAIN) else f"a {kind.__name__}"


def _find_odd_in_object(value: dict[object, object]) -> str | None:
    for key, item in value.items():
        if not isinstance(key, str):
            return f"the key {key!r}, which is not a string"
        odd = find_odd(item)
        if odd is not None:
            return odd
    return None
