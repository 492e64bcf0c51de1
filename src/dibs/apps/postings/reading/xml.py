"""XML of strangers: no document types, hence no entities of their own; bounded depth and size."""

import html
import re
from xml.parsers import expat

from msgspec import Struct

from dibs.apps.postings.reading.payloads import read_text

LARGEST = 50_000_000
MOST_ELEMENTS = 1_000_000
DEEPEST = 50


class Element(Struct):
    """An element: its name, its own text, what is in it. `parts`: text and elements as they follow each other."""

    name: str
    text: str = ""
    children: list["Element"] = []
    parts: list["str | Element"] = []

    @property
    def markup(self) -> str:
        """What is in it, as HTML: its text, which may be HTML itself, or the elements that somebody did not escape."""
        if not self.children:
            return self.text
        return "".join(
            html.escape(part, quote=False) if isinstance(part, str) else f"<{part.name}>{part.markup}</{part.name}>"
            for part in self.parts
        )


def read_xml(payload: bytes) -> Element:
    """Read a document; raises ValueError on what is none, or tries to be clever."""
    if len(payload) > LARGEST:
        message = f"{len(payload)} bytes of XML, over the limit of {LARGEST}"
        raise ValueError(message)
    try:
        return _parse(payload)
    except _Unreadable as fault:
        # Once more, as a person would read it. What is cut off stays so, and is refused.
        mended = _mend(read_text(payload))
        try:
            return _parse(mended)
        except _Unreadable:
            raise fault from None


class _Unreadable(ValueError):
    """No XML as it stands."""


_HEAD = re.compile(r"^\s*<\?xml[^>]{0,200}\?>|^\s+")
_NAMED = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([a-zA-Z][a-zA-Z0-9]{1,30});")
_BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")
_UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def _mend(text: str) -> str:
    """Write the entities of HTML and bare ampersands as XML has them, without signs that it does not have."""
    plain = _NAMED.sub(lambda found: html.unescape(found[0]), _UNUSABLE.sub("", _HEAD.sub("", text)))
    return _BARE.sub("&amp;", plain)


def _parse(payload: bytes | str) -> Element:
    builder = _Builder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.open
    parser.EndElementHandler = builder.close
    parser.CharacterDataHandler = builder.write
    parser.StartDoctypeDeclHandler = builder.refuse
    parser.EntityDeclHandler = builder.refuse
    try:
        parser.Parse(payload, True)
    except (expat.ExpatError, LookupError) as cause:
        message = f"no XML ({cause})"
        raise _Unreadable(message) from cause
    if builder.root is None:
        message = "no XML: it is empty"
        raise _Unreadable(message)
    return builder.root


class _Builder:
    def __init__(self) -> None:
        self.root: Element | None = None
        self._path: list[Element] = []
        self._count = 0

    def open(self, name: str, _: dict[str, str]) -> None:
        self._count += 1
        if len(self._path) >= DEEPEST or self._count > MOST_ELEMENTS:
            message = f"XML of more than {DEEPEST} levels or {MOST_ELEMENTS} elements"
            raise ValueError(message)
        element = Element(name=name)
        if self._path:
            self._path[-1].children.append(element)
            self._path[-1].parts.append(element)
        else:
            self.root = element
        self._path.append(element)

    def close(self, _: str) -> None:
        element = self._path.pop()
        element.text = "".join(part for part in element.parts if isinstance(part, str))

    def write(self, text: str) -> None:
        self._path[-1].parts.append(text)

    def refuse(self, *_: object) -> None:
        message = "XML with a document type, which boards have no use for"
        raise ValueError(message)
