"""From the bytes of an answer to JSON, whatever the encoding."""

import codecs
import json
from typing import Any

import msgspec

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(payload: bytes) -> str:
    """Read bytes as text: by their mark, as UTF-8, or as what Windows makes of Western letters."""
    encoding = next((name for mark, name in _MARKS if payload.startswith(mark)), None) or _guess_width(payload)
    try:
        return payload.decode(encoding)
    except UnicodeDecodeError:
        return payload.decode("cp1252", "replace")


def _guess_width(payload: bytes) -> str:
    """Tell UTF-16 without a mark by the first sign, which no JSON or XML writes with more than one byte."""
    start = payload[:2]
    return "utf-16-le" if start[1:] == b"\x00" else "utf-16-be" if start[:1] == b"\x00" else "utf-8"


def read_json(payload: bytes) -> Any:
    """Read JSON; raises ValueError if it is none."""
    try:
        return msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        # More lenient: other encodings, halves of characters, lines within texts, numbers that are none.
        return json.loads(read_text(payload), strict=False)
    except RecursionError as cause:
        message = "nested too deeply"
        raise ValueError(message) from cause
