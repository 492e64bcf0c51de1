"""A document's rows, gathered into sections."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from dibs.services.resumes.document import Line, Word
from dibs.services.resumes.understanding.layout import Strip
from dibs.services.resumes.understanding.normal.dates import find_dates
from dibs.services.resumes.understanding.normal.speech import find_fluency, find_languages
from dibs.services.resumes.understanding.sections.asking import is_question
from dibs.services.resumes.understanding.sections.headings import Headings, clean
from dibs.services.resumes.understanding.sections.prompts import is_prompt
from dibs.services.resumes.understanding.sections.rows import Looks, Row, is_set_alike, make_rows
from dibs.services.resumes.understanding.sections.wording import Kind, find_alike, find_exact, names_group, names_part
from dibs.services.resumes.understanding.sections.wrapping import find_edges, join_wrapped

_RUN_IN = re.compile(r"^([^:]{3,32}):\s+\S")
_MOST_LINES = 3
_LOOKED_AT = 3
_LARGER = 1.25
_CLOSE = 0.4
_LISTS = {Kind.SKILLS, Kind.LANGUAGES, Kind.INTERESTS}
_FLOWING = {Kind.WORK, Kind.EDUCATION, Kind.PROJECTS, Kind.VOLUNTEER, Kind.CERTIFICATES, Kind.PUBLICATIONS}


class Section:
    """Rows under one heading. The rows before any heading are the header."""

    def __init__(self, kind: Kind, title: Row | None = None) -> None:
        self.kind = kind
        self.title = title
        self.rows: list[Row] = []
        self.labels: list[Row] = []

    def __repr__(self) -> str:
        return f"Section({self.kind}, {self.title and self.title.text!r}, {len(self.rows)} rows)"

    @property
    def text(self) -> str:
        return "\n".join(row.text for row in self.rows)


def split_sections(strips: Sequence[Strip]) -> tuple[list[Section], Looks]:
    """Gather rows under headings, column by column. A new column begins in the section of the one around it."""
    blocks = [
        (strip, _join_label([row for row in make_rows(strip.block, starts=_begins(strip, before)) if _is_said(row)]))
        for before, strip in pairwise([None, *strips])
        if strip is not None
    ]
    rows = [row for _, block in blocks for row in block]
    looks = Looks(rows)
    headings = Headings(rows, looks)
    splitter = _Splitter(headings)
    for strip, block in blocks:
        splitter.enter(strip)
        for row in block:
            splitter.take(row)
    edges = find_edges(rows)
    for section in splitter.sections:
        section.rows = join_wrapped(section.rows, section.kind, edges)
        for row in section.rows:
            row.edge = edges[row.column].right
    return [section for section in splitter.sections if section.rows or section.title], looks


def _is_said(row: Row) -> bool:
    """Tell whether a row says something, and not what a template asks for."""
    return bool(clean(row.text)) and not is_prompt(row.text)


def _begins(strip: Strip, before: Strip | None) -> bool:
    """The format's own blocks say little, and a new page goes on with what the last one was about."""
    if strip.is_own or before is None:
        return not strip.is_own
    turned = strip.block.lines[0].box.page != before.block.lines[-1].box.page
    return not (turned and strip.frame == before.frame)


def _join_label(rows: list[Row]) -> list[Row]:
    """A heading in a narrow rail may take several lines."""
    if not 1 < len(rows) <= _MOST_LINES or not all(_is_alike(rows[0], row) for row in rows):
        return list(_join_headings(rows))
    joined = " ".join(row.text for row in rows)
    if find_exact(clean(rows[0].text)) and not find_exact(clean(joined)):
        return rows
    if not find_alike(clean(joined)) or any(row.bullet or row.spans for row in rows):
        return rows
    return [_join_rows(rows).told(starts=True)]


def _join_headings(rows: list[Row]) -> Iterator[Row]:
    """A heading in a narrow column may take two lines: TECHNICAL over SKILLS."""
    at = 0
    while at < len(rows):
        lines = 2 if _is_one_heading(rows[at : at + 2], rows[at - 1 : at], rows[at + 2 : at + 3]) else 1
        yield _join_rows(rows[at : at + lines])
        at += lines


def _is_one_heading(lines: list[Row], above: list[Row], below: list[Row]) -> bool:
    """Two lines say together what headings say, stand close, and look like nothing above and below them."""
    if len(lines) == 1 or any(row.bullet or len(row.parts) > 1 for row in lines):
        return False
    first, second = lines
    if not _is_alike(first, second) or second.gap > _CLOSE * second.size:
        return False
    apart = all(row.style != first.style for row in (*above, *below))
    return apart and find_exact(clean(f"{first.text} {second.text}")) is not None


def _is_alike(first: Row, second: Row) -> bool:
    is_caps = first.is_caps and second.is_caps and is_set_alike(first.words[0], second.words[0])
    return first.style == second.style or is_caps


def _join_rows(rows: list[Row]) -> Row:
    if len(rows) == 1:
        return rows[0]
    first = rows[0]
    line = Line(tuple(word for row in rows for word in row.words), first.line.box, first.gap)
    return Row(line, starts=first.starts, column=first.column, heading=first.heading)


class _Splitter:
    def __init__(self, headings: Headings) -> None:
        self._headings = headings
        self.sections = [Section(Kind.HEADER)]
        self._open: list[tuple[Strip, Section]] = []
        self._aside: Section | None = None

    @property
    def _current(self) -> Section:
        return self._open[-1][1] if self._open else self.sections[0]

    def enter(self, strip: Strip) -> None:
        """Go on in the section that this column was in, or in that of the column around it."""
        last = self._open[-1][1] if self._open else self.sections[0]
        if not self._open or self._open[-1][0].frame != strip.frame:
            last = self._find_start(strip, last)
        self._open.append((strip, last))

    def _find_start(self, strip: Strip, last: Section) -> Section:
        """Text that flows from one column into the next goes on where the last one stopped."""
        around = self._find_around(strip, last)
        flows = last.kind in _FLOWING and _looks_continued(strip)
        return last if around.kind is Kind.HEADER and flows else around

    def _find_around(self, strip: Strip, last: Section) -> Section:
        for other, section in reversed(self._open):
            if other.frame == strip.frame or strip.is_within(other):
                return section
            if other.is_within(strip):
                return last
        return self.sections[0]

    def take(self, row: Row) -> None:
        if self._is_asking(row) or self._is_level(row):
            self._current.rows.append(row)
            return
        kind = None if self._goes_on(row) else self._headings.find(row) or self._find_listed(row)
        if self._headings.is_label(row) or self._is_inner(row):
            self._current.labels.append(row)
            return
        if kind is not None and not self._is_name(kind) and not self._is_group(kind, row):
            self._begin(kind, row)
            return
        if self._is_title(row):
            self._open[-1] = (self._open[-1][0], self.sections[0])
        if self._put_aside(row):
            return
        count = self._count_run_in(row)
        if count:
            self._begin(_kind_of(row, count) or Kind.OTHER, row)
            row = row.without(count)
        self._current.rows.append(row)

    def _is_asking(self, row: Row) -> bool:
        """In a form, what would be a heading elsewhere asks for a part of an entry."""
        section = self._current
        is_form = section.kind in _FLOWING and bool(section.rows) and is_question(section.rows[0].text)
        return is_form and is_question(row.text) and not self._headings.is_sure(row)

    def _is_level(self, row: Row) -> bool:
        """Behind a language, what heads languages elsewhere says how well it is spoken: "Mother tongue"."""
        section = self._current
        if section.kind is not Kind.LANGUAGES or section.title is None or not section.rows:
            return False
        above = section.rows[-1].text
        bare = bool(find_languages(above)) and find_fluency(above) is None
        return bare and row.style != section.title.style and find_fluency(row.text) == (0, len(row.text))

    def _find_listed(self, row: Row) -> Kind | None:
        """After one list, the name of another beside it is enough to begin that."""
        kind = self._headings.names_list(row) if self._current.kind in _LISTS else None
        return kind if kind is not self._current.kind else None

    def _goes_on(self, row: Row) -> bool:
        """The end of a name that took two lines may be a word for a section: "Institute of" over "Technology"."""
        above = self._current.rows[-1] if self._current.rows else None
        if above is None or above.bullet or above.style != row.style or self._headings.is_sure(row):
            return False
        return row.is_bold and not row.is_caps and not row.starts and 0 != row.gap < _CLOSE * row.size

    def _is_name(self, kind: Kind) -> bool:
        """What looks like a heading and says nothing, before all else, is whose resume it is."""
        return kind is Kind.OTHER and len(self.sections) == 1 and not self.sections[0].rows

    def _is_inner(self, row: Row) -> bool:
        """ "Highlights" inside an entry, set smaller than the heading of its section."""
        title = self._current.title
        if title is None or self._current.kind not in _FLOWING or row.size > title.size or row.style == title.style:
            return False
        return names_part(clean(row.text)) and len(row.parts) == 1 and not row.bullet

    def _is_title(self, row: Row) -> bool:
        """The largest letters of all, far above those of headings, are the person's name, wherever it stands."""
        title = self._current.title
        return title is not None and self._headings.is_largest(row) and row.size > _LARGER * title.size

    def _is_group(self, kind: Kind, row: Row) -> bool:
        """A part of the skills may look like a section."""
        return kind is Kind.OTHER and self._current.kind is Kind.SKILLS and names_group(clean(row.text))

    def _begin(self, kind: Kind, row: Row) -> None:
        section = Section(kind, row)
        self.sections.append(section)
        self._open[-1] = (self._open[-1][0], section)

    def _put_aside(self, row: Row) -> bool:
        """A list with its name before it, among schools or after a job, is a section of one line: "Skills: Excel, SQL"."""
        if self._aside is not None and _is_unended(self._aside.rows[-1]) and not row.spans and not row.bullet:
            self._aside.rows.append(row)
            return True
        self._aside = None
        match = _RUN_IN.match(row.text)
        kind = _kind_of(row, len(match[1].split())) if match else None
        if match is None or kind not in _LISTS or names_part(match[1]) or not self._stands_alone(row):
            return False
        self._aside = Section(kind, row)
        self._aside.rows.append(row.without(len(match[1].split())))
        self.sections.append(self._aside)
        return True

    def _stands_alone(self, row: Row) -> bool:
        if self._current.kind is Kind.EDUCATION:
            return True
        return self._current.kind in _FLOWING and not row.bullet and row.gap >= row.size

    def _count_run_in(self, row: Row) -> int:
        """Count the words of a heading that its text follows on the same line."""
        match = _RUN_IN.match(row.text)
        count = len(row.parts[0].words) if len(row.parts) > 1 else len(match[1].split()) if match else 0
        kind = _kind_of(row, count)
        if not count or row.bullet or kind in (None, Kind.OTHER, self._current.kind) or count >= len(row.words):
            return 0
        if any(section.kind is kind for section in self.sections):
            return 0
        differs = _differs(row.words[count - 1], row.words[count]) or row.parts[0].text.isupper()
        return count if differs or self._headings.is_sure(row) else 0


def _is_unended(row: Row) -> bool:
    return row.text.endswith((",", ";", "|", "·", " and", "&"))


def _kind_of(row: Row, count: int) -> Kind | None:
    return find_exact(clean(" ".join(word.text for word in row.words[:count]))) if count else None


def _differs(one: Word, other: Word) -> bool:
    return one.bold != other.bold or one.color != other.color or one.size > other.size + 0.5


def _looks_continued(strip: Strip) -> bool:
    """The first lines of the column are list items or have a range of dates: they go on with an entry."""
    first = strip.block.lines[:_LOOKED_AT]
    return any(line.bullet for line in first[:2]) or any(
        span.is_range for line in first for span in find_dates(line.text)
    )
