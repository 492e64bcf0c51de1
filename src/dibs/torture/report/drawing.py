"""The picture of one cell: jobs stored and finished a second, and when things were broken."""

from collections.abc import Iterable
from html import escape

from dibs.torture.report.cells import Beat, Cell

WIDTH, HEIGHT = 720, 110
LEFT, BOTTOM, TOP = 34, 18, 6


def draw_timeline(cell: Cell) -> str:
    """Draw it as SVG."""
    if not cell.timeline:
        return ""
    most = max([1, *(beat.finished for beat in cell.timeline), *(beat.stored for beat in cell.timeline)])
    seconds = max(len(cell.timeline), 1)
    parts = [
        *(_draw_fault(fault.begin, fault.end, fault.what, seconds) for fault in cell.faults),
        _draw_bars(cell.timeline, most, seconds),
        _draw_line(cell.timeline, most, seconds),
        _draw_axes(most, seconds),
    ]
    title = escape(f"{cell.scenario} on {cell.store}: jobs finished (bars) and stored (line) a second")
    head = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}"><title>{title}</title>'
    return f"{head}{''.join(parts)}</svg>"


def _x(second: float, seconds: int) -> float:
    return round(LEFT + (WIDTH - LEFT) * second / seconds, 1)


def _y(value: float, most: int) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most), 1)


def _draw_fault(begin: float, end: float, what: str, seconds: int) -> str:
    left = _x(begin, seconds)
    width = max(round(_x(end, seconds) - left, 1), 1.5)
    label = f"<title>{escape(what)}, {begin:.1f} s to {end:.1f} s</title>"
    return f'<rect class="fault" x="{left}" y="{TOP}" width="{width}" height="{HEIGHT - TOP - BOTTOM}">{label}</rect>'


def _draw_bars(timeline: Iterable[Beat], most: int, seconds: int) -> str:
    width = max((WIDTH - LEFT) / seconds - 1, 0.5)
    return "".join(
        f'<rect class="finished" x="{_x(beat.second, seconds)}" y="{_y(beat.finished, most)}" width="{width:.1f}"'
        f' height="{round(HEIGHT - BOTTOM - _y(beat.finished, most), 1)}"/>'
        for beat in timeline
        if beat.finished
    )


def _draw_line(timeline: Iterable[Beat], most: int, seconds: int) -> str:
    points = " ".join(f"{_x(beat.second + 0.5, seconds)},{_y(beat.stored, most)}" for beat in timeline)
    return f'<polyline class="stored" points="{points}"/>'


def _draw_axes(most: int, seconds: int) -> str:
    floor = HEIGHT - BOTTOM
    step = max(5, seconds // 10 // 5 * 5)
    ticks = "".join(
        f'<text x="{_x(second, seconds)}" y="{HEIGHT - 4}">{second} s</text>' for second in range(0, seconds, step)
    )
    sides = f'<text x="0" y="{TOP + 9}">{most}/s</text><text x="0" y="{floor}">0</text>'
    return f'<line class="floor" x1="{LEFT}" y1="{floor}" x2="{WIDTH}" y2="{floor}"/>{ticks}{sides}'
