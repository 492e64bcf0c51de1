"""JSON in and out, strictly: what comes back is what went in, or it was refused."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NewType, cast

import msgspec

from dibs.errors import NotJson, PayloadTooDeep, PayloadTooLarge

# Bytes that `encode_json` wrote. A class of its own would cost more than the encoding: the garbage collector tracks
# every object of a class that is written in Python.
Json = NewType("Json", bytes)
NULL = Json(b"null")

# Objects and lists within each other. Every store, and every reader of JSON that we know of, manages so many.
DEEPEST = 128
TOO_DEEP = f"more than {DEEPEST} objects and lists within each other"

_encode = cast("Callable[[object], Json]", msgspec.json.Encoder().encode)
_decode = msgspec.json.Decoder().decode
_PLAIN = (str, int, bool, type(None))


def encode_json(value: object, *, limit: int, what: str, of: str | None = None) -> Json:
    """Write `value` as JSON of at most `limit` bytes; `what`, and the id it is `of`, name it in errors."""
    if value is None:
        return NULL
    try:
        odd = find_odd(value)
        encoded = _encode(value) if odd is None else NULL
    except RecursionError as cause:
        raise too_deep(what, of) from cause
    except (TypeError, ValueError, OverflowError) as cause:
        message = f"{_named(what, of)} is not JSON ({cause})."
        raise NotJson(message) from cause
    if odd is not None:
        raise too_deep(what, of) if odd is TOO_DEEP else _not_json(odd, what, of)
    if len(encoded) > limit:
        message = (
            f"{_named(what, of)} has {len(encoded)} bytes, over the limit of {limit}."
            " Store it elsewhere and pass a reference."
        )
        raise PayloadTooLarge(message)
    return encoded


def encode_all(values: Sequence[object], *, limit: int) -> list[Json] | None:
    """Write all as JSON of at most `limit` bytes each; None: one is to be refused, and `encode_json` says why."""
    try:
        encoded = [_encode(value) for value in values if find_odd(value) is None]
    except (RecursionError, TypeError, ValueError, OverflowError):
        return None
    is_fine = len(encoded) == len(values) and max(map(len, encoded), default=0) <= limit
    return encoded if is_fine else None


def too_deep(what: str, of: str | None = None) -> PayloadTooDeep:
    """Say that a value is nested too deep."""
    return PayloadTooDeep(
        f"{_named(what, of)} has {TOO_DEEP}, or contains itself. Make it flatter, or store it elsewhere and pass a"
        " reference."
    )


def _not_json(odd: str, what: str, of: str | None) -> NotJson:
    return NotJson(
        f"{_named(what, of)} is not JSON: it holds {odd}."
        " Use objects with string keys, lists, strings, numbers, true, None."
    )


def _named(what: str, of: str | None) -> str:
    return what if of is None else f"{what} {of!r}"


def decode_json(encoded: bytes | str) -> Any:
    """Read JSON that `encode_json` wrote."""
    return _decode(encoded)


def find_odd(value: object, levels: int = DEEPEST) -> str | None:
    """Describe the first thing in a value that JSON would not give back as it is; None if there is none."""
    kind = type(value)
    if kind is dict and levels:
        # Most objects are flat: a look at each item here is a quarter of the price of a call.
        for key, item in value.items():  # type: ignore[attr-defined]
            if type(key) is not str and not isinstance(key, str):
                return f"the key {key!r}, which is not a string"
            if type(item) not in _PLAIN and (odd := find_odd(item, levels - 1)) is not None:
                return odd
        return None
    if kind in _PLAIN:
        return None
    if kind is list and levels:
        return _find_odd_member(value, levels)  # type: ignore[arg-type]
    if kind is dict or kind is list:
        return TOO_DEEP
    if isinstance(value, float):
        return None if math.isfinite(value) else f"the number {value}"
    return None if isinstance(value, _PLAIN) else f"a {kind.__name__}"


def _find_odd_member(value: list[object], levels: int) -> str | None:
    for item in value:
        if type(item) not in _PLAIN and (odd := find_odd(item, levels - 1)) is not None:
            return odd
    return None
