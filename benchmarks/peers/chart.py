"""A bar chart as SVG: one bar a peer, the longest as wide as the page."""

from html import escape
from math import isnan

WIDTH, LABELS, BAR, GAP = 720, 190, 18, 6
OURS, OTHERS, RAW = "#2f6f4f", "#9aa5b1", "#d7dde3"


def draw(rates: dict[str, float]) -> str:
    """Draw rates, the fastest first."""
    shown = sorted(((label, rate) for label, rate in rates.items() if not isnan(rate)), key=lambda pair: -pair[1])
    height = len(shown) * (BAR + GAP) + GAP
    longest = max((rate for _, rate in shown), default=1.0)
    bars = "".join(_bar(place, label, rate, longest) for place, (label, rate) in enumerate(shown))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="12" role="img" aria-label="Jobs a second">'
        f'<rect width="100%" height="100%" fill="#fff"/>{bars}</svg>\n'
    )


def _bar(place: int, label: str, rate: float, longest: float) -> str:
    top = GAP + place * (BAR + GAP)
    width = max(1.0, (WIDTH - LABELS - 80) * rate / longest)
    fill = OURS if label.startswith("Dibs") else RAW if label.startswith("raw") else OTHERS
    middle = top + BAR * 0.72
    return (
        f'<text x="{LABELS - 8}" y="{middle:.1f}" text-anchor="end">{escape(label)}</text>'
        f'<rect x="{LABELS}" y="{top}" width="{width:.1f}" height="{BAR}" fill="{fill}"/>'
        f'<text x="{LABELS + width + 6:.1f}" y="{middle:.1f}">{rate:,.0f}</text>'
    )
