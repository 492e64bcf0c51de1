"""Durations and sizes, written for people."""

from datetime import timedelta

_SPANS = (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1))
_SIZES = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP = 1024


def show_span(span: timedelta, *, units: int = 2) -> str:
    """Write a duration with a few units at the most: `1.2 s`, `3 min 10 s`, `2 h 5 min`, `4 d`."""
    seconds = abs(span.total_seconds())
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 10:  # noqa: PLR2004 - below ten, tenths matter
        return f"{seconds:.1f} s"
    first = next(place for place, (_, size) in enumerate(_SPANS) if seconds >= size)
    words = []
    for unit, size in _SPANS[first : first + units]:
        count, seconds = divmod(seconds, size)
        words += [f"{count:.0f} {unit}"] if count else []
    return " ".join(words)


def show_bytes(count: int) -> str:
    """Write a size with the unit that fits: `512 B`, `1.5 MiB`."""
    size, place = float(count), 0
    while size >= _STEP and place < len(_SIZES) - 1:
        size, place = size / _STEP, place + 1
    return f"{size:.0f} {_SIZES[place]}" if place == 0 else f"{size:.1f} {_SIZES[place]}"
