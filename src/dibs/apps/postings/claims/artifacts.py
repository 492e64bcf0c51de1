"""What an agent leaves behind of a run: merged key by key, so that nothing an earlier report wrote is lost. Pure."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from msgspec import Struct

from dibs.kit.codec import decode_json, encode_json

LARGEST = 1_000_000
LARGEST_INLINE = 16_000
DEEPEST = 20
LONGEST_KEY = 200
MOST_FAULTS = 20
BLOB = "$blob"


class Merged(Struct, frozen=True, kw_only=True):
    """The artifacts after a report. With `faults` nothing was merged."""

    artifacts: dict[str, Any]
    faults: tuple[str, ...] = ()
    is_changed: bool = False


def check_artifacts(given: Any, path: str = "artifacts") -> list[str]:
    """Name everything in a report that cannot be kept; all faults at once."""
    if not isinstance(given, dict):
        return [f"{path} is no object"]
    return [fault for _, fault in zip(range(MOST_FAULTS), _find_faults(given, path, 1), strict=False)]


def check_size(artifacts: dict[str, Any], limit: int = LARGEST) -> list[str]:
    """Say that artifacts are too large in all, if they are."""
    size = len(encode_json(artifacts, limit=10 * LARGEST, what="artifacts"))
    return [f"artifacts of {size} bytes in all, over the limit of {limit}"] if size > limit else []


def merge_artifacts(kept: dict[str, Any], given: Any, *, limit: int = LARGEST) -> Merged:
    """Add what a report says to what is kept. A text or a list replaces one of its kind; an object is merged."""
    faults = check_artifacts(given) or list(_find_clashes(kept, given, "artifacts"))
    if faults:
        return Merged(artifacts=kept, faults=tuple(faults[:MOST_FAULTS]))
    merged = _merge(kept, given)
    if too_large := check_size(merged, limit):
        return Merged(artifacts=kept, faults=tuple(too_large))
    return Merged(artifacts=merged, is_changed=not is_same(merged, kept))


def is_same(one: Any, other: Any) -> bool:
    """Tell whether two values are written alike, whatever the order of their keys. For Python, 1 and true are equal."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return bool(one == other)


def store_apart(artifacts: dict[str, Any]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Take long values out, each by the hash of its content; what stays says which hash belongs there."""
    blobs: dict[str, bytes] = {}

    def slim(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: slim(inner) for key, inner in value.items()}
        encoded = encode_json(value, limit=LARGEST, what="an artifact") if isinstance(value, (str, list)) else b""
        if len(encoded) <= LARGEST_INLINE:
            return value
        digest = sha256(encoded).hexdigest()
        blobs[digest] = encoded
        return {BLOB: digest, "size": len(encoded)}

    return slim(artifacts), blobs


def find_blobs(artifacts: Any) -> set[str]:
    """Name the hashes of the values that are stored apart."""
    if not isinstance(artifacts, dict):
        return set()
    if BLOB in artifacts:
        return {artifacts[BLOB]}
    return {digest for inner in artifacts.values() for digest in find_blobs(inner)}


def put_together(artifacts: Any, blobs: dict[str, bytes]) -> Any:
    """Put values that are stored apart back in their places."""
    if not isinstance(artifacts, dict):
        return artifacts
    if BLOB in artifacts:
        encoded = blobs.get(artifacts[BLOB])
        return artifacts if encoded is None else decode_json(encoded)
    return {key: put_together(inner, blobs) for key, inner in artifacts.items()}


def _find_faults(value: Any, path: str, depth: int) -> Iterator[str]:
    if value is None:
        yield f"{path} is null; a null deletes nothing, leave the key out"
    elif depth > DEEPEST:
        yield f"{path[:LONGEST_KEY]} is nested more than {DEEPEST} deep"
    elif isinstance(value, dict):
        yield from (f"{path} has a key {key[:40]!r} that cannot be used" for key in value if not _is_usable(key))
        yield from (fault for key, inner in value.items() for fault in _find_faults(inner, f"{path}.{key}", depth + 1))
    elif isinstance(value, list):
        yield from (
            fault for place, inner in enumerate(value) for fault in _find_faults(inner, f"{path}[{place}]", depth + 1)
        )
    elif isinstance(value, str) and ("\x00" in value or not _is_whole(value)):
        yield f"{path} holds a NUL or half a character"


def _is_usable(key: str) -> bool:
    return bool(key) and len(key) <= LONGEST_KEY and not key.startswith("$") and "\x00" not in key and _is_whole(key)


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _find_clashes(kept: dict[str, Any], given: dict[str, Any], path: str) -> Iterator[str]:
    for key, value in given.items():
        old = kept.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            yield from _find_clashes(old, value, f"{path}.{key}")
        elif isinstance(old, dict) is not isinstance(value, dict) and old is not None:
            kind = "an object" if isinstance(old, dict) else "no object"
            yield f"{path}.{key} is {kind}, and cannot become another kind"


def _merge(kept: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    merged = dict(kept)
    for key, value in given.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
