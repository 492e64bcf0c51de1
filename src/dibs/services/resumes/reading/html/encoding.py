"""Which letters the bytes of an HTML page are."""

import codecs
import re

from dibs.services.resumes.document import Flag
from dibs.services.resumes.reading.text import decode

CHARSET = re.compile(
    rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w-]+)""", re.IGNORECASE
)
HEAD = 2_048


def decode_html(data: bytes) -> tuple[str, tuple[Flag, ...]]:
    """Take what the page says of itself, unless its bytes say otherwise."""
    found = CHARSET.search(data[:HEAD])
    name = (found[1] or found[2]).decode("ascii") if found else ""
    try:
        codec = codecs.lookup(name).name if name else ""
        if codec and not codec.startswith("utf-16"):
            return data.decode(codec), ()
    except (LookupError, UnicodeDecodeError):
        pass
    return decode(data)
