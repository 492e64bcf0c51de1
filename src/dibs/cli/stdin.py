"""What is read from stdin, line by line."""

import sys

from dibs.errors import BadInput


def read_lines(most: int | None = None) -> list[str]:
    """Read lines of text, all or the first few, without their ends."""
    try:
        lines = sys.stdin.readlines() if most is None else [sys.stdin.readline() for _ in range(most)]
    except UnicodeDecodeError:
        message = f"what came on stdin is no text in {sys.stdin.encoding}. Send it in that encoding."
        raise BadInput(message) from None
    return [line.rstrip("\r\n") for line in lines]
