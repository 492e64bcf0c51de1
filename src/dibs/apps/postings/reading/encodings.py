"""Text that went through one encoding too many, brought back to what somebody typed."""

import html
import re

# UTF-8 that was read as Windows' letters: `Ã¼` is `ü`. The first letters of such runs are always these.
_MISREAD = re.compile(r"(?:[ÂÃÅÄ][\x80-\xbf\u0152-\u2122]|â[\x80-\xbf\u0152-\u2122]{2})")
# `<` stays escaped: it would become markup.
_ENTITY = re.compile(
    r"&(?!(?:lt|gt|#0*60|#0*62|#x0*3[ce]);)(?:[a-zA-Z]{2,10}[0-9]{0,2}|#[0-9]{1,7}|#x[0-9a-f]{1,6});", re.IGNORECASE
)
_MOST_ESCAPES = 3


def mend_misread(text: str) -> str:
    """Read again what was read in the wrong encoding; what is no such run stays."""
    return _MISREAD.sub(_read_again, text)


def unescape_rest(text: str) -> str:
    """Take out entities that were escaped more than once."""
    for _ in range(_MOST_ESCAPES):
        plain = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
        if plain == text:
            break
        text = plain
    return text


def _read_again(found: re.Match[str]) -> str:
    try:
        return b"".join(map(_to_byte, found[0])).decode()
    except UnicodeDecodeError:
        return found[0]


def _to_byte(letter: str) -> bytes:
    # Windows has no letter for some bytes, and readers leave those as they are.
    try:
        return letter.encode("cp1252")
    except UnicodeEncodeError:
        return letter.encode("latin-1", "replace")
