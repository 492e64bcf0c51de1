"""Where the words of a document stand, packed small: to show evidence without opening the document again."""

import zlib
from base64 import b64decode, b64encode

from msgspec import msgpack
from msgspec.structs import replace

from dibs.services.resumes.document import Document

LARGEST = 64 * 1024 * 1024


def pack_sheet(document: Document | None) -> str | None:
    """Pack the words of a document. Text that nobody would see is not among them."""
    if document is None:
        return None
    seen = replace(document, hidden=(), flags=(), blocks=document.blocks if not document.pages else None)
    return b64encode(zlib.compress(msgpack.encode(seen), 6)).decode()


def unpack_sheet(packed: str | None) -> Document | None:
    """Give the words back."""
    if packed is None:
        return None
    return msgpack.decode(zlib.decompressobj().decompress(b64decode(packed), LARGEST), type=Document)
