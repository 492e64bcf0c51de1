"""The style sheets that a page brings along: in its own elements, and in addresses that hold what they name."""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

from dibs.services.resumes.reading.html.css.media import applies
from dibs.services.resumes.reading.html.css.splitting import drop_comments, split_rules

MOST_IMPORTS = 20
_IMPORT = re.compile(r"@import\s+(?:url\(\s*)?(\"[^\"]*\"|'[^']*'|[^\s\"')]+)\s*\)?(.*)", re.IGNORECASE | re.DOTALL)
_NO_MEDIA = re.compile(r"\b(?:layer|supports)\b(?:\([^()]*\))?", re.IGNORECASE)
_HELD = re.compile(r"(?<!@import )(url\(\s*[\"']?data:)[^)\"']{200,}", re.IGNORECASE)


def gather_css(tree: Any) -> str:
    """Give all rules of a page in their order, without those for other media."""
    sheets = []
    for node in tree.css("style, link"):
        kind = (node.attributes.get("type") or "text/css").strip().lower()
        if kind != "text/css" or not applies(node.attributes.get("media") or ""):
            continue
        css = node.text() or "" if node.tag == "style" else _linked(node)
        sheets.append("\n".join(_with_imports(drop_comments(css), [MOST_IMPORTS])))
    # Fonts and pictures are most of a page that was saved as one file, and say nothing here.
    return _HELD.sub(r"\1", "\n".join(sheets))


def _linked(node: Any) -> str:
    kinds = (node.attributes.get("rel") or "").lower().split()
    return _unpack(node.attributes.get("href") or "") if "stylesheet" in kinds and "alternate" not in kinds else ""


def _unpack(address: str) -> str:
    """Give the text that an address holds; nothing is loaded from anywhere."""
    kind, comma, body = address.strip().partition(",")
    if not kind.lower().startswith("data:") or not comma:
        return ""
    data = unquote_to_bytes(body)
    if not kind.lower().endswith(";base64"):
        return data.decode("utf-8", "replace")
    try:
        return b64decode(data).decode("utf-8", "replace")
    except NotBase64:
        return ""


def _with_imports(css: str, left: list[int]) -> Iterator[str]:
    """Give a sheet after those that it imports; only the first statements may be imports."""
    for prelude, body in split_rules(css) if "@import" in css.lower() else ():
        found = _IMPORT.match(prelude) if body is None else None
        if found and left[0] > 0 and applies(_NO_MEDIA.sub("", found[2])):
            left[0] -= 1
            yield from _with_imports(drop_comments(_unpack(found[1].strip("\"'"))), left)
        elif body is not None and not prelude.startswith("@"):
            break
    yield css
