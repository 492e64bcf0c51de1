"""Media queries: which rules a wide, light screen with a mouse applies."""

import re

from dibs.services.resumes.reading.html.css.splitting import split_outside
from dibs.services.resumes.reading.html.css.values import read_length

SCREEN = {"width": 1280.0, "height": 800.0}
_FEATURE = re.compile(r"\(([^()]*)\)")
_RANGE = re.compile(r"([\w.-]+)\s*([<>]=?|=)\s*([\w.-]+)(?:\s*([<>]=?)\s*([\w.-]+))?")
_KIND = re.compile(r"(?:not\s+|only\s+)?([a-z]+)\b(?!\s*\()")
_ANSWERS = {
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "forced-colors": "none",
    "inverted-colors": "none",
    "orientation": "landscape",
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "display-mode": "browser",
    "scripting": "none",
    "monochrome": "0",
}
_ABSENT = frozenset({"monochrome", "prefers-reduced-motion", "inverted-colors", "prefers-contrast"})
"""Features that a query may name without a value, and that this screen has not."""


def applies(queries: str) -> bool:
    """Tell whether one of some media queries is true; none at all are."""
    found = [query.strip() for query in split_outside(queries.lower(), ",")]
    return not any(found) or any(_is_true(query) for query in found if query)


def _is_true(query: str) -> bool:
    negated = query.startswith("not")
    kind = _KIND.match(query)
    shown = kind is None or kind[1] in {"all", "screen", "not", "only"}
    features = [_has(feature.strip()) for feature in _FEATURE.findall(query)]
    met = any(features) if re.search(r"\)\s*or\b", query) else all(features)
    return (shown and met) is not negated


def _has(feature: str) -> bool:
    name, colon, wanted = (part.strip() for part in feature.partition(":"))
    if not colon and (ranged := _RANGE.fullmatch(feature)):
        return _in_range(*ranged.groups())
    if not colon:
        return name not in _ANSWERS or name not in _ABSENT
    limit, _, side = name.rpartition("-")
    if limit in {"min", "max"} and side in SCREEN:
        length = read_length(wanted) or 0.0
        return SCREEN[side] >= length if limit == "min" else SCREEN[side] <= length
    # A feature that is not known may hide something: its rules are taken.
    return _ANSWERS.get(name, wanted) == wanted


def _in_range(one: str, sign: str, other: str, next_sign: str | None, third: str | None) -> bool:
    if not _compare(one, sign, other):
        return False
    return next_sign is None or third is None or _compare(other, next_sign, third)


def _compare(one: str, sign: str, other: str) -> bool:
    if not {one, other} & set(SCREEN):
        return True
    left, right = (SCREEN.get(side) or read_length(side) or 0.0 for side in (one, other))
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}.get(sign, left == right)
