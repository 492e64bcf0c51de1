"""Colours by their names in the theme of a DOCX, written out: where one is named, a word processor takes that."""

from lxml import etree

from dibs.services.resumes.reading.docx.names import w

DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
USUAL = {"dk1": 0, "lt1": 0xFFFFFF, "lt2": 0xEEEEEE}
PLACES = {
    "text1": "dk1", "dark1": "dk1", "background1": "lt1", "light1": "lt1", "text2": "dk2", "dark2": "dk2",
    "background2": "lt2", "light2": "lt2", "hyperlink": "hlink", "followedHyperlink": "folHlink",
}  # fmt: skip
NAMED = (("color", "val", "theme"), ("background", "color", "theme"), ("shd", "fill", "themeFill"))
"""Elements, the attribute of their colour, and what the attributes of its name in the theme begin with."""
WHOLE = 255


def read_theme(tree: etree._Element | None) -> dict[str, int]:
    """Give the colours of a theme by their names there."""
    scheme = next(tree.iter(f"{DRAWING}clrScheme"), None) if tree is not None else None
    colors = dict(USUAL)
    for node in scheme if scheme is not None else ():
        given = [inner.get("val") or "" for inner in node if inner.tag == f"{DRAWING}srgbClr"]
        given += [inner.get("lastClr") or "" for inner in node if inner.tag == f"{DRAWING}sysClr"]
        if given and (number := _read_number(given[0])) is not None:
            colors[etree.QName(node).localname] = number
    return colors


def write_colors(tree: etree._Element | None, theme: dict[str, int]) -> None:
    """Write colours out where a tree names those of its theme."""
    for name, plain, prefix in NAMED:
        for node in () if tree is None else tree.iter(w(name)):
            named = node.get(w("themeColor" if prefix == "theme" else prefix), "")
            color = theme.get(PLACES.get(named, named))
            if color is not None:
                node.set(w(plain), f"{_change(color, node, prefix):06X}")


def _change(color: int, node: etree._Element, prefix: str) -> int:
    """Darken or lighten a colour as the document says."""
    shade, tint = (_read_number(node.get(w(f"{prefix}{name}"), ""), WHOLE) for name in ("Shade", "Tint"))
    parts = [color >> shift & WHOLE for shift in (16, 8, 0)]
    if shade is not None:
        parts = [part * shade // WHOLE for part in parts]
    if tint is not None:
        parts = [WHOLE - (WHOLE - part) * tint // WHOLE for part in parts]
    return parts[0] << 16 | parts[1] << 8 | parts[2]


def _read_number(text: str, most: int = 0xFFFFFF) -> int | None:
    try:
        number = int(text, 16)
    except ValueError:
        return None
    return number if 0 <= number <= most else None
