"""Values of style sheets: lengths and colours."""

import re

LENGTH = re.compile(r"(-?[\d.]+)(px|pt|em|rem|%|vw|vh|cm|mm|in)?")
PIXELS = {"px": 1.0, "pt": 4 / 3, "rem": 16.0, "vw": 12.8, "vh": 8.0, "cm": 37.8, "mm": 3.78, "in": 96.0, "": 1.0}
SIZES = {"xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18, "x-large": 24, "xx-large": 32}
NAMES = {
    "white": 0xFFFFFF, "black": 0, "red": 0xFF0000, "green": 0x8000, "blue": 0xFF, "gray": 0x808080, "grey": 0x808080,
    "silver": 0xC0C0C0, "yellow": 0xFFFF00, "navy": 0x80, "teal": 0x8080, "maroon": 0x800000, "purple": 0x800080,
    "orange": 0xFFA500, "darkgray": 0xA9A9A9, "lightgray": 0xD3D3D3, "lightgrey": 0xD3D3D3, "whitesmoke": 0xF5F5F5,
    "snow": 0xFFFAFA, "ivory": 0xFFFFF0, "ghostwhite": 0xF8F8FF, "floralwhite": 0xFFFAF0, "azure": 0xF0FFFF,
    "mintcream": 0xF5FFFA, "seashell": 0xFFF5EE, "beige": 0xF5F5DC, "linen": 0xFAF0E6, "honeydew": 0xF0FFF0,
}  # fmt: skip
FUNCTION = re.compile(r"rgba?\(([^)]*)\)")
MOST = 100_000.0


def read_length(text: str, *, em: float = 16.0, whole: float = 800.0) -> float | None:
    """Give a length in pixels; None where it is none."""
    found = LENGTH.match(text.strip())
    if not found:
        return None
    try:
        amount = float(found[1])
    except ValueError:
        return None
    unit = found[2] or ""
    scale = {"em": em, "%": whole / 100}.get(unit) or PIXELS[unit]
    return max(min(amount * scale, MOST), -MOST)


def read_size(text: str, *, parent: float) -> float:
    """Give a size of letters in pixels."""
    if text in SIZES:
        return float(SIZES[text])
    if text in {"smaller", "larger"}:
        return parent * (0.83 if text == "smaller" else 1.2)
    size = read_length(text, em=parent, whole=parent)
    return parent if size is None else size


def read_color(text: str) -> tuple[int | None, float]:
    """Give colour and opacity; None where no colour can be told."""
    text = text.strip()
    if text == "transparent":
        return None, 0.0
    if text in NAMES:
        return NAMES[text], 1.0
    if text.startswith("#"):
        return _read_hex(text[1:].split()[0] if text[1:].strip() else "")
    found = FUNCTION.match(text)
    return _read_function(found[1]) if found else (None, 1.0)


def _read_hex(digits: str) -> tuple[int | None, float]:
    if len(digits) in {3, 4}:
        digits = "".join(digit * 2 for digit in digits)
    try:
        number = int(digits, 16)
    except ValueError:
        return None, 1.0
    if len(digits) == len("rrggbbaa"):
        return number >> 8, (number & 0xFF) / 255
    return (number, 1.0) if len(digits) == len("rrggbb") else (None, 1.0)


def _read_function(inside: str) -> tuple[int | None, float]:
    parts = [part for part in re.split(r"[,\s/]+", inside.strip()) if part]
    try:
        numbers = [float(part.rstrip("%")) * (2.55 if part.endswith("%") else 1) for part in parts[:3]]
        alpha = float(parts[3].rstrip("%")) / (100 if parts[3].endswith("%") else 1) if len(parts) > 3 else 1.0  # noqa: PLR2004
        red, green, blue = (max(0, min(255, round(number))) for number in numbers)
    except (ValueError, IndexError):
        return None, 1.0
    return red << 16 | green << 8 | blue, alpha
