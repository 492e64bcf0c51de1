"""Colours of style sheets, in all the ways in which they are written."""

import re
from colorsys import hls_to_rgb

from PIL.ImageColor import colormap, getrgb

from dibs.services.resumes.reading.html.css.splitting import split_outside

GREYEST = 0.05
_FUNCTION = re.compile(r"(rgba?|hsla?|color|oklch|oklab|lch|lab|hwb|color-mix|light-dark)\((.*)\)", re.DOTALL)
_SHARE = re.compile(r"\s(\d*\.?\d+)%\s*$|^\s*(\d*\.?\d+)%\s")
# What a light screen draws for the names that go by its settings.
_OF_THE_SCREEN = {
    "canvas": 0xFFFFFF, "field": 0xFFFFFF, "window": 0xFFFFFF, "background": 0xFFFFFF, "buttonhighlight": 0xFFFFFF,
    "infobackground": 0xFFFFFF, "menu": 0xFFFFFF, "highlighttext": 0xFFFFFF, "threedhighlight": 0xFFFFFF,
    "canvastext": 0, "fieldtext": 0, "windowtext": 0, "buttontext": 0, "captiontext": 0, "infotext": 0, "menutext": 0,
}  # fmt: skip


def read_color(text: str) -> tuple[int | None, float]:
    """Give colour and opacity; None where no colour can be told."""
    text = text.strip()
    if text == "transparent":
        return None, 0.0
    if text in _OF_THE_SCREEN:
        return _OF_THE_SCREEN[text], 1.0
    if text in colormap:
        # Not what the map has: that is a text until somebody asks for the colour, and numbers from then on.
        red, green, blue = getrgb(text)[:3]
        return red << 16 | green << 8 | blue, 1.0
    if text.startswith("#"):
        return _read_hex(text[1:].split()[0] if text[1:].strip() else "")
    found = _FUNCTION.match(text)
    if not found:
        return None, 1.0
    return (
        _read_made(found[1], found[2]) if found[1] in {"color-mix", "light-dark"} else _read_function(*found.groups())
    )


def part_color(color: int) -> tuple[int, int, int]:
    return color >> 16 & 0xFF, color >> 8 & 0xFF, color & 0xFF


def join_color(parts: tuple[float, ...]) -> int:
    """Put red, green and blue together, each from 0 to 255 or brought there."""
    red, green, blue = (max(0, min(255, round(part))) for part in parts)
    return red << 16 | green << 8 | blue


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


def _read_made(name: str, inside: str) -> tuple[int | None, float]:
    """Read a colour that is made of two others."""
    parts = list(split_outside(inside, ","))
    if name == "light-dark":
        return read_color(parts[0])
    told = [(read_color(_SHARE.sub("", part)), _SHARE.search(part)) for part in parts[1:3]]
    if len(told) < 2:  # noqa: PLR2004 - two are mixed
        return None, 1.0
    ((one, one_alpha), one_share), ((other, other_alpha), other_share) = told
    share = _share_of(one_share, other_share)
    alpha = one_alpha * share + other_alpha * (1 - share)
    if one is None or other is None:
        return one if one is not None else other, alpha
    pairs = zip(part_color(one), part_color(other), strict=True)
    return join_color(tuple(first * share + second * (1 - share) for first, second in pairs)), alpha


def _share_of(one: re.Match[str] | None, other: re.Match[str] | None) -> float:
    if one:
        return min(float(one[1] or one[2]) / 100, 1.0)
    return 1 - min(float(other[1] or other[2]) / 100, 1.0) if other else 0.5


def _read_function(name: str, inside: str) -> tuple[int | None, float]:
    parts = [part for part in re.split(r"[,\s/]+", inside.partition(")")[0].strip()) if part]
    if parts[:1] == ["from"]:
        parts = _relative(parts[1:])
    if name == "color":
        parts = parts[1:]
    try:
        numbers = [(float(re.sub(r"[a-z%]+$", "", part)), part.endswith("%")) for part in parts[:3]]
        alpha = float(parts[3].rstrip("%")) / (100 if parts[3].endswith("%") else 1) if len(parts) > 3 else 1.0  # noqa: PLR2004
        return join_color(tuple(255 * share for share in _read_shares(name, numbers))), alpha
    except (ValueError, IndexError):
        return None, 1.0


def _relative(parts: list[str]) -> list[str]:
    """Give the parts of a colour that is made from another: `rgb(from white r g b)`."""
    color = read_color(parts[0])[0] if parts else None
    channels = dict(zip("rgb", map(str, part_color(color)), strict=True)) if color is not None else {}
    return [channels.get(part, part) for part in parts[1:]]


def _read_shares(name: str, numbers: list[tuple[float, bool]]) -> tuple[float, float, float]:
    """Give red, green and blue from 0 to 1. Of the ways to write a colour by its lightness, only greys are told."""
    (one, is_share), (two, _), (three, _) = numbers
    if name.startswith("rgb"):
        red, green, blue = (number / (100 if share else 255) for number, share in numbers)
        return red, green, blue
    if name.startswith("hsl"):
        return hls_to_rgb(one % 360 / 360, min(three / 100, 1), min(two / 100, 1))
    if name == "hwb":
        return _from_hwb(one, two / 100, three / 100)
    if name == "color":
        red, green, blue = (number / (100 if share else 1) for number, share in numbers)
        return red, green, blue
    lightness = one / (1 if name.startswith("ok") and not is_share else 100)
    if 0 < lightness < 1 and abs(two) > GREYEST * (1 if name.startswith("ok") else 100):
        raise ValueError(name)
    return lightness, lightness, lightness


def _from_hwb(hue: float, white: float, black: float) -> tuple[float, float, float]:
    if white + black >= 1:
        white, black = white / (white + black), black / (white + black)
    red, green, blue = (part * (1 - white - black) + white for part in hls_to_rgb(hue % 360 / 360, 0.5, 1.0))
    return red, green, blue
