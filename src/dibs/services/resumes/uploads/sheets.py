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


def list_texts(document: Document | None) -> list[str]:
    """Give what a document says, line by line or page by page, and where its links lead."""
    if document is None:
        return []
    lines = [line.words for block in document.blocks or () for line in block.lines]
    lines += [page.words for page in document.pages]
    targets = [link.target for page in document.pages for link in page.links]
    targets += [word.link for line in lines for word in line if word.link]
    return [" ".join(word.text for word in line) for line in lines] + targets
