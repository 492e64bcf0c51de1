"""A bar chart as SVG: a block for each store, one bar a peer, the longest as wide as the page."""

from html import escape

WIDTH, LABELS, NUMBERS, BAR, GAP, HEAD = 720, 130, 70, 16, 5, 30
OURS, OTHERS, RAW = "#2f6f4f", "#9aa5b1", "#d7dde3"

Bars = list[tuple[str, float]]


def draw(blocks: dict[str, Bars]) -> str:
    """Draw rates; every block has a scale of its own."""
    shapes, top = [], 0.0
    for name, bars in blocks.items():
        if bars:
            shapes.append(_block(name, bars, top))
            top += HEAD + len(bars) * (BAR + GAP)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + GAP:.0f}" font-family="sans-serif" '
        f'font-size="12" role="img" aria-label="Jobs a second, one process">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(shapes)}</svg>\n'
    )


def _block(name: str, bars: Bars, top: float) -> str:
    longest = max(rate for _, rate in bars) or 1.0
    title = f'<text x="8" y="{top + 20:.0f}" font-weight="bold">{escape(name)}, jobs a second, one process</text>'
    rows = (_bar(top + HEAD + place * (BAR + GAP), bar, longest) for place, bar in enumerate(bars))
    return title + "".join(rows)


def _bar(top: float, bar: tuple[str, float], longest: float) -> str:
    label, rate = bar
    width = max(1.0, (WIDTH - LABELS - NUMBERS) * rate / longest)
    fill = OURS if label.startswith("Dibs") else RAW if label.startswith("raw") else OTHERS
    middle = top + BAR * 0.75
    return (
        f'<text x="{LABELS - 8}" y="{middle:.1f}" text-anchor="end">{escape(label)}</text>'
        f'<rect x="{LABELS}" y="{top:.1f}" width="{width:.1f}" height="{BAR}" fill="{fill}"/>'
        f'<text x="{LABELS + width + 6:.1f}" y="{middle:.1f}">{rate:,.0f}</text>'
    )
