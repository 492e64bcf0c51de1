"""Values of style sheets: lengths and colours."""

import re
from colorsys import hls_to_rgb

from PIL.ImageColor import colormap, getrgb

LENGTH = re.compile(r"(-?[\d.]+)(px|pt|em|rem|%|vw|vh|cm|mm|in)?")
PIXELS = {"px": 1.0, "pt": 4 / 3, "rem": 16.0, "vw": 12.8, "vh": 8.0, "cm": 37.8, "mm": 3.78, "in": 96.0, "": 1.0}
SIZES = {"xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18, "x-large": 24, "xx-large": 32}
FUNCTION = re.compile(r"(rgba?|hsla?|color|oklch|oklab|lch|lab|hwb)\(([^)]*)\)")
CALCULATED = re.compile(r"calc\(\s*(-?[\d.]+)\s*\*\s*(-?[\d.]+[a-z%]*)\s*\)")
MOST = 100_000.0
GREYEST = 0.05


def read_length(text: str, *, em: float = 16.0, whole: float = 800.0) -> float | None:
    """Give a length in pixels; None where it is none."""
    text = CALCULATED.sub(lambda made: made[2] if made[1][0] != "-" else f"-{made[2].lstrip('-')}", text.strip())
    found = LENGTH.match(text)
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
    if text in colormap:
        # Not what the map has: that is a text until somebody asks for the colour, and numbers from then on.
        red, green, blue = getrgb(text)[:3]
        return red << 16 | green << 8 | blue, 1.0
    if text.startswith("#"):
        return _read_hex(text[1:].split()[0] if text[1:].strip() else "")
    found = FUNCTION.match(text)
    return _read_function(found[1], found[2]) if found else (None, 1.0)


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


def _read_function(name: str, inside: str) -> tuple[int | None, float]:
    parts = [part for part in re.split(r"[,\s/]+", inside.strip()) if part]
    if name == "color":
        parts = parts[1:]
    try:
        numbers = [(float(re.sub(r"[a-z%]+$", "", part)), part.endswith("%")) for part in parts[:3]]
        alpha = float(parts[3].rstrip("%")) / (100 if parts[3].endswith("%") else 1) if len(parts) > 3 else 1.0  # noqa: PLR2004
        red, green, blue = (max(0, min(255, round(255 * share))) for share in _read_shares(name, numbers))
    except (ValueError, IndexError):
        return None, 1.0
    return red << 16 | green << 8 | blue, alpha


def _read_shares(name: str, numbers: list[tuple[float, bool]]) -> tuple[float, float, float]:
    """Give red, green and blue from 0 to 1. Of the ways to write a colour by its lightness, only greys are told."""
    (one, is_share), (two, _), (three, _) = numbers
    if name.startswith("rgb"):
        red, green, blue = (number / (100 if share else 255) for number, share in numbers)
        return red, green, blue
    if name.startswith("hsl"):
        return hls_to_rgb(one % 360 / 360, min(three / 100, 1), min(two / 100, 1))
    if name == "color":
        red, green, blue = (number / (100 if share else 1) for number, share in numbers)
        return red, green, blue
    lightness = one / (1 if name.startswith("ok") and not is_share else 100)
    if name == "hwb" or abs(two) > GREYEST * (1 if name.startswith("ok") else 100):
        raise ValueError(name)
    return lightness, lightness, lightness
