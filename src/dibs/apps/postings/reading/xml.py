"""XML of strangers: no document types, hence no entities of their own; bounded depth and size."""

from xml.parsers import expat

from msgspec import Struct

LARGEST = 50_000_000
MOST_ELEMENTS = 1_000_000
DEEPEST = 50


class Element(Struct):
    """An element: its name, its text, what is in it."""

    name: str
    text: str = ""
    children: list["Element"] = []


def read_xml(payload: bytes) -> Element:
    """Read a document; raises ValueError on what is none, or tries to be clever."""
    if len(payload) > LARGEST:
        message = f"{len(payload)} bytes of XML, over the limit of {LARGEST}"
        raise ValueError(message)
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
        raise ValueError(message) from cause
    if builder.root is None:
        message = "no XML: it is empty"
        raise ValueError(message)
    return builder.root


class _Builder:
    def __init__(self) -> None:
        self.root: Element | None = None
        self._path: list[Element] = []
        self._pieces: list[list[str]] = []
        self._count = 0

    def open(self, name: str, _: dict[str, str]) -> None:
        self._count += 1
        if len(self._path) >= DEEPEST or self._count > MOST_ELEMENTS:
            message = f"XML of more than {DEEPEST} levels or {MOST_ELEMENTS} elements"
            raise ValueError(message)
        element = Element(name=name)
        if self._path:
            self._path[-1].children.append(element)
        else:
            self.root = element
        self._path.append(element)
        self._pieces.append([])

    def close(self, _: str) -> None:
        self._path.pop().text = "".join(self._pieces.pop())

    def write(self, text: str) -> None:
        self._pieces[-1].append(text)

    def refuse(self, *_: object) -> None:
        message = "XML with a document type, which boards have no use for"
        raise ValueError(message)
