"""Which rows are headings: by their wording, by their looks, and by what other headings of the document look like."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from dibs.services.resumes.understanding.normal.degrees import find_degree
from dibs.services.resumes.understanding.normal.organisations import judge_organisation, judge_school
from dibs.services.resumes.understanding.normal.speech import find_languages
from dibs.services.resumes.understanding.normal.titles import judge_title
from dibs.services.resumes.understanding.sections.rows import Looks, Row, Style
from dibs.services.resumes.understanding.sections.wording import Kind, find_alike, find_exact, simplify

_MOST_WORDS = 6
_NO_HEADING = re.compile(r"[@\d]|[.,;]$|https?:|www\.")
# Templates draw a stroke with the Korean letter "ㅡ".
_ORNAMENT = re.compile(r"^[\W_ㅡ]+|[\W_ㅡ]+$")
# Names of groups inside a section, where a plainer heading names the section itself.
_WEAK = {
    "tools", "technical", "technologies", "technology", "programming", "software", "frameworks", "knowledge", "expertise",
    "strengths", "stack", "other", "werkzeuge", "methoden", "outils", "herramientas", "programming languages", "soft skills",
}  # fmt: skip
_DEGREES = {"bachelor", "master", "doctorate"}
_LISTED = {Kind.SKILLS, Kind.LANGUAGES, Kind.INTERESTS}
_ACADEMIC = {"doctorate", "master", "bachelor", "associate"}
_PURE = 0.34
_TELLING = 0.3


class Headings:
    """Knows the headings of one document. Asked row by row, it answers with a kind or None."""

    def __init__(self, rows: Sequence[Row], looks: Looks) -> None:
        self._looks = looks
        self._largest = max((row.size for row in rows), default=0.0)
        plain = [row for row in rows if not row.bullet]
        self._all = Counter(row.style for row in plain)
        named = [row for row in plain if self._is_possible(row) and find_exact(clean(row.text))]
        self._named = Counter(row.style for row in named)
        self._texts: dict[Style, Counter[str]] = {}
        self._kinds: dict[Style, set[Kind]] = {}
        for row in named:
            self._texts.setdefault(row.style, Counter())[row.text.casefold()] += 1
            self._kinds.setdefault(row.style, set()).add(find_exact(clean(row.text)) or Kind.OTHER)
        self._strong = {find_exact(clean(row.text)) for row in named if simplify(clean(row.text)) not in _WEAK}
        self._sure = {style for style in self._named if self._is_sure(style)}
        self._bare = len(self._all) == 1 and self._are_unmarked(named)
        self._plain = len(self._all) == 1 and not self._bare
        self._labels = {id(row) for row, text in pairwise(rows) if _is_label_of(row, text)}
        self._covered = {kind for style in self._sure for kind in self._kinds[style]}

    def _are_unmarked(self, named: Sequence[Row]) -> bool:
        """Nothing looks like a heading, as in a text without empty lines: then words alone tell."""
        kinds = {find_exact(clean(row.text)) for row in named}
        return len(kinds) > 1 and bool(kinds & {Kind.WORK, Kind.EDUCATION}) and not any(map(self._stands_out, named))

    def find(self, row: Row, *, strictly: bool = False) -> Kind | None:
        """Give the kind of section that a row opens; strictly: not one that may be a group inside another."""
        if not self._is_possible(row):
            return None
        text = clean(row.text)
        exact = find_exact(text)
        if exact in self._strong and simplify(text) in _WEAK and (strictly or row.style not in self._sure):
            return None
        if self._plain and self._stands_out(row) <= 0:
            return None
        if exact and (row.style in self._sure or self._is_telling(row, exact)):
            return exact
        if _is_degree(text):
            return None
        if row.style in self._sure and self._stands_out(row) >= _TELLING and not _names_study(text):
            return find_alike(text) or (Kind.OTHER if self._is_exclusive(row) else None)
        if row.heading is not None and not self._sure and self._stands_out(row) >= _TELLING:
            return find_alike(text)
        return None

    def is_sure(self, row: Row) -> bool:
        """Tell whether a row looks like the headings of the document, whatever it says."""
        return row.style in self._sure

    def is_largest(self, row: Row) -> bool:
        """Tell whether no row is set in larger letters."""
        return row.size >= self._largest and not _NO_HEADING.search(row.text)

    def names_list(self, row: Row) -> Kind | None:
        """Give the kind of the list that stands to the right of a row, which need not look like a heading."""
        return find_exact(clean(row.text)) if id(row) in self._labels else None

    def is_label(self, row: Row) -> bool:
        """Tell whether a row is one of the small headings that come back in every entry: "Highlights"."""
        return self._is_possible(row) and bool(find_exact(clean(row.text))) and self._comes_back(row.style)

    def _comes_back(self, style: Style) -> bool:
        """Its texts are said again and again, or one is, in a style that names neither work nor education."""
        texts = self._texts.get(style, Counter())
        often = max(texts.values(), default=0) > 1 and not self._kinds[style] & {Kind.WORK, Kind.EDUCATION}
        return often or self._named[style] >= 2 * len(texts) > 0

    def _is_possible(self, row: Row) -> bool:
        short = len(row.text.split()) <= _MOST_WORDS and len(row.parts) == 1
        return short and not row.bullet and not _NO_HEADING.search(row.text)

    def _purity(self, style: Style) -> float:
        return self._named[style] / self._all[style]

    def _is_sure(self, style: Style) -> bool:
        """Several headings look like this, and little else does."""
        return len(self._kinds[style]) > 1 and self._purity(style) >= _PURE and not self._comes_back(style)

    def _is_exclusive(self, row: Row) -> bool:
        """Nothing but headings looks like this, so that this must be one, whatever it says."""
        known = len(self._kinds[row.style]) > 2 and self._purity(row.style) >= 0.7  # noqa: PLR2004 - most
        known = known and not find_languages(row.text)
        return known and judge_title(row.text) <= 0 and judge_organisation(row.text) < 0.5  # noqa: PLR2004 - half

    def _is_telling(self, row: Row, kind: Kind) -> bool:
        """A heading in looks of its own is taken for what no surer heading says."""
        if kind in self._covered or (self._sure and kind is Kind.OTHER) or self._comes_back(row.style):
            return False
        out = self._stands_out(row) + _TELLING * (id(row) in self._labels)
        return (
            out >= _TELLING or (not self._sure and out > 0) or (self._bare and simplify(clean(row.text)) not in _WEAK)
        )

    def _stands_out(self, row: Row) -> float:
        ratio = row.size / self._looks.size
        points = 0.4 if ratio > 1.22 else 0.3 if ratio > 1.07 else -0.2 if ratio < 0.9 else 0.0  # noqa: PLR2004
        points += 0.3 * (row.starts_bold and not self._looks.is_bold) + 0.3 * row.is_caps
        points += 0.15 * (row.words[0].color != self._looks.color) + 0.1 * (row.gap > 0.5 * row.size)
        points += 0.1 * row.starts + 0.2 * (row.heading is not None) + 0.1 * row.text.endswith(":")
        return points


def _is_degree(text: str) -> bool:
    """Tell whether a text begins with a degree: "BSc Honours in Physics" names no section of honours."""
    degree = find_degree(text)
    return degree is not None and degree.begin == 0 and degree.level in _DEGREES and degree.end < len(text)


def _names_study(text: str) -> bool:
    """Tell whether a text is a degree with its subject or school, which may hold words of headings."""
    degree = find_degree(text) if "," in text else None
    return degree is not None and (degree.level in _ACADEMIC or judge_school(text) > 0)


def _is_label_of(row: Row, text: Row) -> bool:
    """Tell whether a list stands to the right of a row, which names it without looking like a heading."""
    kind = find_exact(clean(row.text))
    beside = row.line.box.right < text.line.box.left and row.line.box.page == text.line.box.page
    if kind not in _LISTED or not beside or abs(text.line.box.top - row.line.box.top) > row.size:
        return False
    return kind is not Kind.LANGUAGES or bool(find_languages(text.text))


def clean(text: str) -> str:
    """Leave out ornaments around a heading."""
    return _ORNAMENT.sub("", text)
