"""Ink that is changed before it reaches the page: by filters, and by how it is mixed with what is behind."""

import re
from collections.abc import Callable

from dibs.services.resumes.reading.html.css.colors import join_color, part_color
from dibs.services.resumes.reading.html.css.values import read_number

_FILTER = re.compile(r"(invert|brightness|contrast)\(([^()]*)\)")
_MOST = 20
_KEPT = frozenset({"hue", "saturation", "color"})
"""These leave what is behind as light as it was."""


def _hard(one: float, other: float) -> float:
    return 2 * one * other if one <= 0.5 else 1 - 2 * (1 - one) * (1 - other)  # noqa: PLR2004 - as it is defined


_MIXED: dict[str, Callable[[float, float], float]] = {
    "lighten": max,
    "darken": min,
    "multiply": lambda ink, behind: ink * behind,
    "screen": lambda ink, behind: ink + behind - ink * behind,
    "plus-lighter": lambda ink, behind: ink + behind,
    "difference": lambda ink, behind: abs(ink - behind),
    "exclusion": lambda ink, behind: ink + behind - 2 * ink * behind,
    "color-dodge": lambda ink, behind: 0.0 if not behind else min(behind / max(1 - ink, 1e-6), 1.0),
    "color-burn": lambda ink, behind: 1.0 if behind == 1 else 1 - min((1 - behind) / max(ink, 1e-6), 1.0),
    "overlay": lambda ink, behind: _hard(behind, ink),
    "hard-light": _hard,
    "soft-light": lambda ink, behind: behind - (1 - 2 * ink) * behind * (1 - behind),
}


def blend(mode: str, color: int, behind: int) -> int:
    """Give the colour that ink has on what is behind it."""
    if mode in _KEPT:
        return behind
    mix = _MIXED.get(mode)
    if mix is None:
        return color
    pairs = zip(part_color(color), part_color(behind), strict=True)
    return join_color(tuple(255 * mix(ink / 255, ground / 255) for ink, ground in pairs))


def filter_color(color: int, filters: str) -> int:
    """Give the colour that ink has after some filters."""
    for name, inside in _FILTER.findall(filters)[:_MOST]:
        told = read_number(inside)
        amount = 1.0 if told is None else told
        color = join_color(tuple(255 * _change(name, part / 255, amount) for part in part_color(color)))
    return color


def _change(name: str, part: float, amount: float) -> float:
    if name == "invert":
        share = min(amount, 1.0)
        return part * (1 - share) + (1 - part) * share
    return part * amount if name == "brightness" else (part - 0.5) * amount + 0.5
