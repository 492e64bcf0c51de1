"""Style sheets as text: where a piece ends, with strings, brackets, addresses and comments left whole."""

import re
from collections.abc import Iterator

_STRING = r'"(?:[^"\\\n]|\\.)*"?' + r"|'(?:[^'\\\n]|\\.)*'?"
_ADDRESS = r"url\(\s*[^\s\"'()][^\"'()]*\)"
_TOKEN = re.compile(rf"{_STRING}|{_ADDRESS}|\\.|[(){{}}\[\];,]", re.DOTALL | re.IGNORECASE)
_COMMENT = re.compile(rf"({_STRING}|{_ADDRESS})|/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL | re.IGNORECASE)
_OPENING, _CLOSING = "([{", ")]}"


def drop_comments(css: str) -> str:
    """Take comments out; what looks like one inside a string stays."""
    return _COMMENT.sub(lambda found: found[1] or "", css)


def split_outside(text: str, separator: str) -> Iterator[str]:
    """Split a text at a separator that stands in no string and in no brackets."""
    depth = start = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        depth += (sign in _OPENING) - (sign in _CLOSING and depth > 0)
        if sign == separator and depth == 0:
            yield text[start : token.start()]
            start = token.end()
    yield text[start:]


def split_rules(css: str) -> Iterator[tuple[str, str | None]]:
    """Give what stands before each block, and the block; None for a statement that has none."""
    depth = start = opened = 0
    for token in _TOKEN.finditer(css):
        sign = token[0]
        if sign == "{":
            opened = opened if depth else token.start()
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
            if not depth:
                yield css[start:opened].strip(), css[opened + 1 : token.start()]
                start = token.end()
        elif sign == ";" and not depth:
            yield css[start : token.start()].strip(), None
            start = token.end()
    if depth:
        yield css[start:opened].strip(), css[opened + 1 :]
