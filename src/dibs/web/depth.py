"""How deep JSON is nested, told before anybody parses it: a parser that recurses is what deep JSON attacks."""

import re
from array import array
from itertools import accumulate

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
# One level more, one level less: 1 and, as a signed byte, -1.
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_PIECE = 65_536


def is_deeper_than(body: bytes, most: int) -> bool:
    """Tell whether JSON has more than so many levels. Text that is not JSON may get either answer."""
    if body.count(b"[") + body.count(b"{") <= most:
        return False
    steps = _STRING.sub(b"", body).translate(_STEPS, _NOT_BRACKETS)
    level = 0
    for start in range(0, len(steps), _PIECE):
        levels = array("b", steps[start : start + _PIECE])
        # In C: a loop of ours would take a second for a large body.
        reached = list(accumulate(levels, initial=level))
        if max(reached) > most:
            return True
        level = reached[-1]
    return False
