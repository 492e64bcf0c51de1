"""The empty margins of a scanned page: nothing is looked for in them."""

from typing import Any

import numpy as np

FAINTEST = 20
"""What differs from the paper by less, of 255, is no print: noise of scanners and of their compression."""
AROUND = 32
LEAST_SIDE = 640
"""A smaller part would be stretched when its sides are brought to the multiples that the models take."""


def find_print(grey: Any) -> tuple[int, int, int, int]:
    """Give left, top, right and bottom of the part of a page that holds anything, with a little paper around it."""
    paper = int(np.median(grey[::8, ::8]))
    marked = np.abs(grey - paper) > FAINTEST
    left, right = _find_ends(marked.any(axis=0))
    top, bottom = _find_ends(marked.any(axis=1))
    return left, top, right, bottom


def _find_ends(marked: Any) -> tuple[int, int]:
    """Give where the marked part of a side begins and ends; all of it where nothing is marked."""
    places = np.flatnonzero(marked)
    if not len(places):
        return 0, len(marked)
    begin, end = max(int(places[0]) - AROUND, 0), min(int(places[-1]) + 1 + AROUND, len(marked))
    missing = max(LEAST_SIDE - (end - begin), 0)
    begin = max(begin - missing // 2, 0)
    return begin, min(max(end, begin + LEAST_SIDE), len(marked))
