"""Names of WordprocessingML, written out once."""

from lxml import etree

SPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
OFF = frozenset({"0", "false", "off", "none"})


def w(name: str) -> str:
    """Give the full name of an element or attribute."""
    return SPACE + name


def value(node: etree._Element | None, name: str = "val") -> str:
    """Read an attribute, "" where there is none."""
    return node.get(SPACE + name, "") if node is not None else ""


def child(node: etree._Element | None, *names: str) -> etree._Element | None:
    """Go down by names; None as soon as one is missing."""
    for name in names:
        if node is None:
            return None
        node = node.find(SPACE + name)
    return node


def text_of(node: etree._Element) -> str:
    """Give all text in an element."""
    return "".join(part.text or "" for part in node.iter(SPACE + "t"))


def number(text: str, default: float = 0.0) -> float:
    """Read a measure; nonsense is the default."""
    try:
        return float(text)
    except ValueError:
        return default
