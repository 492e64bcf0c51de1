"""List marks that a recogniser takes for something else."""

from collections import Counter

from dibs.services.resumes.reading.scan.addresses import group_lines
from dibs.services.resumes.reading.scan.contacts import mend_contacts
from dibs.services.resumes.reading.scan.misread import drop_borders
from dibs.services.resumes.reading.scan.recogniser import SeenWord

ODD = frozenset("¢©®»«°*+¥§¤‣▪●•○◦∙·")
BETWEEN = frozenset("¢»«*+•")
"""What a dot between the items of a list is taken for."""
MAYBE = frozenset("-:")
"""What it is taken for as well, though these also mean what they are."""
LETTERS = frozenset('eoO0°"=~>')
OFTEN = 2


def mend_marks(words: list[SeenWord]) -> list[SeenWord]:
    """Write a list mark where a line starts with a sign or a lone letter that stands there on several lines."""
    starts = [index for index, word in enumerate(words) if _starts_line(words, index) and len(word.text) == 1]
    counts = Counter(words[index].text for index in starts)
    marks = {index for index in starts if words[index].text in ODD}
    marks |= {index for index in starts if words[index].text in LETTERS and counts[words[index].text] >= OFTEN}
    edges = [words[index].left for index in marks]
    marks |= {index for index in starts if words[index].text in LETTERS and _stands_under(words[index], edges)}
    mended = [word._replace(text="•") if index in marks else word for index, word in enumerate(words)]
    return [word for line in group_lines(mended) for word in _mend_between(mend_contacts(drop_borders(line)))]


def _stands_under(word: SeenWord, edges: list[float]) -> bool:
    """Tell whether a lone letter stands where the marks of other lines do."""
    return any(abs(word.left - edge) < word.right - word.left for edge in edges)


def _mend_between(line: list[SeenWord]) -> list[SeenWord]:
    """Write dots between the items of a list where they were taken for other signs."""
    if not any(word.text in BETWEEN for word in line[1:]):
        return line
    signs = BETWEEN | MAYBE
    return [line[0], *(word._replace(text="•") if word.text in signs else word for word in line[1:])]


def _starts_line(words: list[SeenWord], index: int) -> bool:
    if index == 0:
        return True
    before, word = words[index - 1], words[index]
    return word.left < before.left or word.top > before.bottom or before.top > word.bottom
