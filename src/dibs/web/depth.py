"""How deep JSON is nested, told before anybody parses it: a parser that recurses is what deep JSON attacks."""

import re

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_INNERMOST = re.compile(rb"\[\]|\{\}")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def is_deeper_than(body: bytes, most: int) -> bool:
    """Tell whether JSON has more than so many levels. Text that is not JSON may get either answer."""
    if body.count(b"[") + body.count(b"{") <= most:
        return False
    brackets = _STRING.sub(b"", body).translate(None, _NOT_BRACKETS)
    for _ in range(most):
        # Each pass takes the innermost level away, in C; both kinds at once, or it would take two levels of "{[]}".
        shorter = _INNERMOST.sub(b"", brackets)
        if len(shorter) == len(brackets):
            return bool(brackets) and len(brackets) > most
        brackets = shorter
    return bool(brackets)
