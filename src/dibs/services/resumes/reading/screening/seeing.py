"""What a person can see: the reasons for which text counts as hidden, and the contrast of colours."""

from enum import StrEnum

WHITE = 0xFFFFFF
LEAST_CONTRAST = 1.2
LEAST_SIZE = 4.0
LEAST_ALPHA = 26


class Reason(StrEnum):
    """Why a person would not see a text."""

    SAME_COLOR = "same_color"
    TINY = "tiny"
    OFF_PAGE = "off_page"
    COVERED = "covered"
    INVISIBLE = "invisible"
    TRANSPARENT = "transparent"
    VANISH = "vanish"
    CSS = "css"
    CLIPPED = "clipped"
    TAG_CHARACTERS = "tag_characters"
    ZERO_WIDTH = "zero_width"


REASONS = {
    Reason.SAME_COLOR: "in the colour of its background",
    Reason.TINY: "too small to read",
    Reason.OFF_PAGE: "outside the page",
    Reason.COVERED: "covered by a picture or a shape",
    Reason.INVISIBLE: "drawn without ink",
    Reason.TRANSPARENT: "transparent",
    Reason.VANISH: "marked as hidden in the word processor",
    Reason.CSS: "hidden by its style sheet",
    Reason.CLIPPED: "cut away",
    Reason.TAG_CHARACTERS: "in letters that are never drawn",
    Reason.ZERO_WIDTH: "in letters without width",
}


def contrast(one: int, other: int) -> float:
    """Give the contrast of two colours, from 1 to 21, as the accessibility guidelines measure it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: int) -> float:
    red, green, blue = (_linear((color >> shift & 0xFF) / 255) for shift in (16, 8, 0))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - as sRGB defines it


def is_same_color(color: int, backdrop: int) -> bool:
    """Tell whether letters cannot be told from what is behind them."""
    return contrast(color, backdrop) < LEAST_CONTRAST
