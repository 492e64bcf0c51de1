"""Is 0.9 nine in ten? Bins of confidence beside the share that was right."""

from collections.abc import Iterable
from itertools import pairwise

from msgspec import Struct

from evals.resumes.scoring.judging import Judged

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0001)
SURE = 0.9
SIZE, EDGE = 260, 34


class Bin(Struct, frozen=True):
    low: float
    high: float
    amount: int
    confidence: float
    right: float


def make_bins(given: Iterable[Judged]) -> list[Bin]:
    values = list(given)
    bins = []
    for low, high in pairwise(EDGES):
        inside = [one for one in values if low <= one.confidence < high]
        if inside:
            mean = sum(one.confidence for one in inside) / len(inside)
            right = sum(one.correct for one in inside) / len(inside)
            bins.append(Bin(low, min(high, 1.0), len(inside), mean, right))
    return bins


def find_error(bins: list[Bin]) -> float:
    """The expected calibration error: how far confidence and truth lie apart, weighted by amount."""
    total = sum(one.amount for one in bins)
    return sum(one.amount * abs(one.confidence - one.right) for one in bins) / total if total else 0.0


def find_sure_share(given: Iterable[Judged], *, least: float = SURE) -> tuple[float, int]:
    """Of the fields given at least this confidence: the share that is right, and how many there are."""
    sure = [one for one in given if one.confidence >= least]
    return (sum(one.correct for one in sure) / len(sure) if sure else 1.0), len(sure)


def draw(bins: list[Bin], title: str) -> str:
    """A reliability diagram: dots on the diagonal are honest, below it boastful, above it shy."""
    (left, bottom), (right, top) = _at(0, 0), _at(1, 1)
    parts = [f'<rect x="{left}" y="{top}" width="{SIZE}" height="{SIZE}" fill="#fff" stroke="#999"/>']
    parts.append(f'<line x1="{left}" y1="{bottom}" x2="{right}" y2="{top}" stroke="#bbb" stroke-dasharray="4"/>')
    parts += _dots(bins)
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_at(one.confidence, one.right) for one in bins))
    parts.append(f'<polyline points="{line}" fill="none" stroke="#1f4e79"/>')
    for mark in (0, 0.5, 1):
        x, y = _at(mark, mark)
        parts.append(f'<text x="{x - 6:.0f}" y="{bottom + 14:.0f}">{mark:g}</text>')
        parts.append(f'<text x="8" y="{y + 4:.0f}">{mark:g}</text>')
    parts.append(f'<text x="{left}" y="18" font-weight="bold">{title}</text>')
    width = SIZE + 2 * EDGE
    frame = f'width="{width}" height="{width}" font-family="sans-serif" font-size="11"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>{"".join(parts)}</svg>'


def _at(x: float, y: float) -> tuple[float, float]:
    return EDGE + x * SIZE, EDGE + (1 - y) * SIZE


def _dots(bins: list[Bin]) -> list[str]:
    total = sum(one.amount for one in bins) or 1
    dots = []
    for one in bins:
        x, y = _at(one.confidence, one.right)
        radius = 2 + 14 * (one.amount / total) ** 0.5
        told = f"<title>{one.amount} fields: said {one.confidence:.2f}, right {one.right:.2f}</title>"
        dots.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#1f4e79" fill-opacity="0.7">{told}</circle>'
        )
    return dots
