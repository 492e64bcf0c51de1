"""Labels in a margin, each put in front of the text that it stands beside."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from dibs.services.resumes.understanding.layout.judging import group, group_labels, has_items, is_headed, is_level
from dibs.services.resumes.understanding.layout.segments import Segment

_TALL = 3
_MOSTLY = 0.5
_CLOSE = 1.2
_LOWER, _NEARER = 1.2, 0.75
_REACHED = 0.35


class Band(NamedTuple):
    """Labels, and the text from the first of their lines down to the next label."""

    labels: list[list[Segment]]
    text: list[Segment]
    note: list[Segment] = []  # noqa: RUF012 -- never written to
    """What stands in a third cell, behind the text."""


def cut_bands(left: Sequence[Segment], right: Sequence[Segment]) -> Iterator[Band]:
    """Cut the text at the lines that labels stand beside. A label may also stand in the middle of its block."""
    labels = group_labels(left, right)
    blocks = [part for block in group(right) for part in _part_title(block)]
    starts = _find_starts(labels, blocks)
    rest = sorted(right, key=lambda s: (s.row, s.left))
    cuts = sorted(set(starts))
    head = [s for s in rest if middle(s) < cuts[0]]
    if head:
        yield Band([], head)
    for first, end in zip(cuts, [*cuts[1:], float("inf")], strict=True):
        own = [label for label, start in zip(labels, starts, strict=True) if start == first]
        yield Band(_join_headings(own), [s for s in rest if first <= middle(s) < end])


def _part_title(block: list[Segment]) -> list[list[Segment]]:
    """A heading over the text names all that follows it, so that no label stands for it."""
    count = len(list(takewhile(lambda s: s.is_heading, block)))
    return [part for part in (block[:count], block[count:]) if part]


def middle(segment: Segment) -> float:
    return (segment.top + segment.bottom) / 2


def _find_starts(labels: list[list[Segment]], blocks: list[list[Segment]]) -> list[float]:
    homes = [_find_home(label, blocks) for label in labels]
    alone = [(label, blocks[home]) for label, home in zip(labels, homes, strict=True) if homes.count(home) == 1]
    tall = [pair for pair in alone if len(pair[1]) >= _TALL]
    # One label may stand in the middle of its block by chance; where they are set so, most do.
    centred = sum(_is_centred(*pair) for pair in tall) > _MOSTLY * len(tall)
    starts: list[float] = []
    for at, (label, home) in enumerate(zip(labels, homes, strict=True)):
        pushed = at > 0 and homes[at - 1] == home and _is_pushed(labels[at - 1], label)
        lone = centred and homes.count(home) == 1
        starts.append(starts[-1] if pushed else _start(label, blocks[home], is_centred=lone))
    return starts


def _is_pushed(above: list[Segment], label: list[Segment]) -> bool:
    """The heading of a section takes the place of its first dates, which stand a line lower than their text."""
    close = label[0].top - above[-1].bottom < _CLOSE * above[-1].size
    return any(s.is_heading for s in above) and not is_headed(label) and close


def _find_home(label: list[Segment], blocks: list[list[Segment]]) -> int:
    """Give the block beside a label, or the nearest one."""
    at = middle(label[0])
    if is_headed(label):
        # Larger letters stand a little lower than their text where both begin at the top of a row.
        reached = label[0].top + _REACHED * (label[0].bottom - label[0].top)
        below = [index for index, block in enumerate(blocks) if max(s.bottom for s in block) >= reached]
        return below[0] if below else len(blocks) - 1
    return min(range(len(blocks)), key=lambda index: _distance(at, blocks[index]))


def _distance(at: float, block: list[Segment]) -> float:
    return max(min(s.top for s in block) - at, at - max(s.bottom for s in block), 0.0)


def _start(label: list[Segment], block: list[Segment], *, is_centred: bool) -> float:
    top = min(s.top for s in block)
    level = [s for s in block if is_level(s, label[0])] or _find_lower(label, block)
    if not level or (is_centred and _is_centred(label, block)):
        return top
    first = min(level, key=lambda s: s.top)
    return top if first.top - top < 0.5 * first.size else first.top


def _find_lower(label: list[Segment], block: list[Segment]) -> list[Segment]:
    """Give the line that stands a little lower than a heading, with white above it in its cell."""
    first = label[0]
    lower = [s for s in block if 0 < s.top - first.top < _LOWER * max(s.size, first.size)]
    above = min((first.top - s.top for s in block if s.top <= first.top), default=float("inf"))
    is_nearer = bool(lower) and min(s.top for s in lower) - first.top < _NEARER * above
    return lower if is_headed(label) and is_nearer else []


def _is_centred(label: list[Segment], block: list[Segment]) -> bool:
    """Tell whether a label stands in the middle of its block, unless what stands beside it begins something there."""
    level = next((s for s in block if is_level(s, label[0])), block[0])
    if level is not block[0] and (has_items(block[:1]) or (level.is_bold and not block[0].is_bold)):
        return False
    top, bottom = min(s.top for s in block), max(s.bottom for s in block)
    own = (min(s.top for s in label) + max(s.bottom for s in label)) / 2
    return abs(own - (top + bottom) / 2) < 0.12 * (bottom - top)


def _join_headings(labels: list[list[Segment]]) -> list[list[Segment]]:
    """Headings under each other, beside one block, are one heading in several lines."""
    joined: list[list[Segment]] = []
    for label in labels:
        last = joined[-1] if joined else None
        if (
            last
            and last[-1].is_heading
            and label[0].is_heading
            and label[0].top - last[-1].bottom < 0.5 * label[0].size
        ):
            last += label
        else:
            joined.append(list(label))
    return joined
