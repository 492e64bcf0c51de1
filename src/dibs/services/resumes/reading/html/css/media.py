"""Media queries: which rules a wide, light screen with a mouse applies."""

import re

from dibs.services.resumes.reading.html.css.splitting import split_outside
from dibs.services.resumes.reading.html.css.values import read_length, read_number

_SUM = re.compile(r"\b(?:calc|min|max|clamp)\([^()]*\)")
_FEATURE = re.compile(r"(?<!^)(?<!\w)(not\s*)?\(([^()]*)\)|\(([^()]*)\)")
_SIDE = r"([\w.-]+(?:\s*/\s*[\d.]+)?)"
_RANGE = re.compile(rf"{_SIDE}\s*([<>]=?|=)\s*{_SIDE}(?:\s*([<>]=?)\s*{_SIDE})?")
_KIND = re.compile(r"(?:not\s+|only\s+)?([a-z]+)\b(?!\s*\()")
_LIMIT = re.compile(r"(-webkit-)?(min|max)-(.+)")
_DOTS = {"dppx": 1.0, "x": 1.0, "dpi": 1 / 96, "dpcm": 2.54 / 96}
_RESOLUTION = re.compile(r"(\d*\.?\d+)(dppx|x|dpi|dpcm)")
_SIZES = {
    "width": 1280.0, "height": 800.0, "device-width": 1280.0, "device-height": 800.0, "aspect-ratio": 1.6,
    "device-aspect-ratio": 1.6, "resolution": 1.0, "-webkit-device-pixel-ratio": 1.0, "color": 8.0, "color-index": 0.0,
    "monochrome": 0.0, "grid": 0.0, "-webkit-transform-3d": 1.0, "horizontal-viewport-segments": 1.0,
    "vertical-viewport-segments": 1.0,
}  # fmt: skip
_ANSWERS = {
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "prefers-reduced-data": "no-preference",
    "forced-colors": "none",
    "inverted-colors": "none",
    "orientation": "landscape",
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "display-mode": "browser",
    "scripting": "enabled",
    "update": "fast",
    "overflow-block": "scroll",
    "overflow-inline": "scroll",
    "color-gamut": "srgb",
    "dynamic-range": "standard",
    "video-dynamic-range": "standard",
    "scan": "progressive",
    "device-posture": "continuous",
}
_ABSENT = frozenset({"none", "no-preference"})


def applies(queries: str) -> bool:
    """Tell whether one of some media queries is true; none at all are."""
    found = [query.strip() for query in split_outside(queries.lower(), ",")]
    return not any(found) or any(_is_true(query) for query in found if query)


def _is_true(query: str) -> bool:
    negated = query.startswith("not")
    kind = _KIND.match(query)
    shown = kind is None or kind[1] in {"all", "screen", "not", "only"}
    query = _SUM.sub(lambda found: f"{read_length(found[0]) or 0.0}px", query)
    features = [_has((inner or first).strip()) is not bool(other) for other, inner, first in _FEATURE.findall(query)]
    met = any(features) if re.search(r"\)\s*or\b", query) else all(features)
    return (shown and met) is not negated


def _has(feature: str) -> bool:
    name, colon, wanted = (part.strip() for part in feature.partition(":"))
    if not colon and (ranged := _RANGE.fullmatch(feature)):
        return _in_range(*ranged.groups())
    # What an element's own variables say is not followed: its rules may hide something, and are taken.
    if name.startswith("--"):
        return True
    if not colon:
        return _SIZES.get(name, 0.0) > 0 or _ANSWERS.get(name, "none") not in _ABSENT
    limit = _LIMIT.fullmatch(name)
    if limit and (side := (limit[1] or "") + limit[3]) in _SIZES:
        size = _read(wanted)
        return _SIZES[side] >= size if limit[2] == "min" else _SIZES[side] <= size
    if name in _SIZES:
        return _SIZES[name] == _read(wanted)
    # As in a browser, a feature that nobody knows is not there.
    return _ANSWERS.get(name) == wanted


def _in_range(one: str, sign: str, other: str, next_sign: str | None, third: str | None) -> bool:
    if not _compare(one, sign, other):
        return False
    return next_sign is None or third is None or _compare(other, next_sign, third)


def _compare(one: str, sign: str, other: str) -> bool:
    if not {one, other} & set(_SIZES):
        return False
    left, right = (_SIZES[side] if side in _SIZES else _read(side) for side in (one, other))
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}.get(sign, left == right)


def _read(text: str) -> float:
    """Give a length in pixels, a ratio or a resolution as a number."""
    if resolution := _RESOLUTION.fullmatch(text):
        return float(resolution[1]) * _DOTS[resolution[2]]
    upper, slash, lower = text.partition("/")
    if slash:
        return (read_number(upper) or 0.0) / (read_number(lower) or 1.0)
    return read_length(text) or 0.0
