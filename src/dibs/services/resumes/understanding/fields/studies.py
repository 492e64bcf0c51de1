"""Schools, degrees and subjects."""

import re
from collections.abc import Sequence

from dibs.services.resumes.document import Line
from dibs.services.resumes.profile import Education, Field
from dibs.services.resumes.understanding.fields.answers import (
    ANSWERED,
    Answers,
    drop_heads,
    get_piece,
    list_dates,
    part_address,
    read_answers,
)
from dibs.services.resumes.understanding.fields.entries import Entry, find_entries
from dibs.services.resumes.understanding.fields.making import make_dates, make_field
from dibs.services.resumes.understanding.fields.slots import Dealt, deal
from dibs.services.resumes.understanding.normal.degrees import find_area, find_degree, find_glue, is_subject
from dibs.services.resumes.understanding.normal.organisations import judge_school
from dibs.services.resumes.understanding.sections.asking import Asked
from dibs.services.resumes.understanding.sections.rows import Piece, Row

_SCORE = re.compile(
    r"(?:\b(?:c?gpa|grade|final grade|score|note|abschlussnote|durchschnitt|notendurchschnitt|nota(?: media)?|moyenne|mention|promedio|classification|result)\b\s*[:=]?\s*(?:of\s+)?(?P<named>[\d.,]+(?:\s*/\s*[\d.,]+)?|[A-Z][\w -]{1,25}?(?=$|[,;|)]))"
    r"|(?P<bare>\b\d[.,]\d{1,2}\s*/\s*\d{1,2}(?:[.,]\d{1,2})?|\b\d[.,]\d{1,2}\s*gpa)"
    r"|(?P<honours>\b(?:first[- ]class(?: honou?rs)?|upper second(?:[- ]class)?|2:1|2:2|summa cum laude|magna cum laude|cum laude|(?:with )?distinction|(?:with )?merit|mit auszeichnung|sehr gut|matrícula de honor|sobresaliente|notable|mention (?:très bien|bien|assez bien))\b))",
    re.IGNORECASE,
)  # fmt: skip
_COURSES = re.compile(
    r"^(?:relevant |selected )?(?:courses?|coursework|modules|schwerpunkte?|kurse|cours|asignaturas)\b[^:]{0,20}:\s*(.*)",
    re.IGNORECASE,
)

_NO_SCHOOL = -0.2
_SUBJECT = 0.4


def _judge_institution(text: str) -> float:
    school = judge_school(text)
    if _SCORE.search(text) and school <= 0:
        return -0.5
    if school <= 0 and is_subject(text):
        return _NO_SCHOOL
    return school if school > 0 else (-0.6 if find_degree(text) else 0.15)


def _judge_degree(text: str) -> float:
    if _SCORE.fullmatch(text.strip()):
        return -0.5
    found = find_degree(text)
    if found is None:
        return -0.1
    return 0.4 if judge_school(text) > 0 and found.begin > 0 else 1.0


def _judge_area(text: str) -> float:
    if _SCORE.search(text) or find_degree(text) or judge_school(text) > 0 or len(text.split()) > 7:  # noqa: PLR2004
        return -0.5
    if is_subject(text):
        return _SUBJECT
    return 0.1 if text[:1].isupper() else -0.2


_JUDGES = {"institution": _judge_institution, "degree": _judge_degree, "area": _judge_area}


def read_education(rows: Sequence[Row]) -> tuple[Education, ...]:
    """Read the entries of a section of education."""
    if answers := read_answers(rows):
        return tuple(_make_answered(entry) for entry in answers)
    rows = drop_heads(rows)
    entries = _find_listed(rows) or find_entries(rows)
    dealt = deal(entries, _JUDGES)
    found = [_make(entry, labels) for entry, labels in zip(entries, dealt, strict=True)]
    return tuple(study for study in found if study.institution or study.study_type)


def _find_listed(rows: Sequence[Row]) -> list[Entry]:
    """Where degrees are items of a list without dates, each begins an entry, and may go on in the next line."""
    if not rows or any(row.spans for row in rows) or not _names_degree(rows[0]):
        return []
    entries: list[Entry] = []
    for row in rows:
        last = entries[-1] if entries else None
        if _names_degree(row):
            entries.append(Entry([row.unmarked()], [], []))
        elif last and not row.bullet and not last.body:
            words = (*last.head[0].words, *row.words)
            last.head[0] = Row(Line(words, last.head[0].line.box, last.head[0].gap), column=row.column)
        elif last:
            last.body.append(row)
    return entries


def _names_degree(row: Row) -> bool:
    return row.bullet and find_degree(row.text) is not None


def _make(entry: Entry, dealt: Dealt) -> Education:
    start, end = make_dates(entry.dated)
    institution, degree, area, place = (
        dealt.labels.get(n, (None, 0.0)) for n in ("institution", "degree", "area", "location")
    )
    study, subject = _split_degree(*((degree, area) if degree[0] else _find_below(entry.body, area)))
    return Education(
        institution=make_field(*institution),
        study_type=study,
        area=subject,
        location=make_field(*place),
        start_date=start,
        end_date=end,
        score=_find_score([*entry.head, *entry.body]),
        courses=_find_courses([*entry.head, *entry.body]),
    )


def _make_answered(answers: Answers) -> Education:
    start, end = make_dates(list_dates(answers))
    degree, area = ((get_piece(answers, asked), ANSWERED) for asked in (Asked.DEGREE, Asked.AREA))
    study, subject = _split_degree(degree, area)
    school, place = part_address(get_piece(answers, Asked.SCHOOL))
    return Education(
        institution=make_field(school, ANSWERED),
        study_type=study or make_field(*degree),
        area=subject,
        location=make_field(get_piece(answers, Asked.PLACE) or place, ANSWERED),
        start_date=start,
        end_date=end,
    )


def _split_degree(
    degree: tuple[Piece | None, float], area: tuple[Piece | None, float]
) -> tuple[Field | None, Field | None]:
    piece, trust = degree
    found = find_degree(piece.text) if piece else None
    if piece is None or found is None:
        return None, make_field(area[0], area[1])
    study = make_field(piece.cut(found.begin, found.end), trust, normal=found.level)
    inside = find_area(piece.text, found)
    if inside is None:
        return study, make_field(_unglue(area[0]), area[1])
    subject = piece.cut(*inside)
    subject = subject.cut(0, _SCORE.search(subject.text).start()) if _SCORE.search(subject.text) else subject  # type: ignore[union-attr]
    return study, make_field(subject.strip(" ,;:()-–"), trust * 0.97)


def _unglue(area: Piece | None) -> Piece | None:
    return area.cut(find_glue(area.text), len(area.text)) if area else None


def _find_below(
    rows: Sequence[Row], area: tuple[Piece | None, float]
) -> tuple[tuple[Piece | None, float], tuple[Piece | None, float]]:
    """Some write the degree as a list item under the school."""
    short = [row for row in rows[:4] if len(row.text.split()) <= 9]  # noqa: PLR2004 - no sentence
    degree = next((row for row in short if find_degree(row.text)), None)
    if degree is None:
        return (None, 0.0), area
    others = [row for row in short if row is not degree and _judge_area(row.text) > 0]
    return (degree, 0.7), area if area[0] or not others else (others[0], 0.55)


def _find_score(rows: Sequence[Row]) -> Field | None:
    for row in rows:
        match = _SCORE.search(row.text)
        if match:
            group = next(name for name in ("named", "bare", "honours") if match[name])
            return make_field(row.cut(*match.span(group)), 0.85)
    return None


def _find_courses(rows: Sequence[Row]) -> tuple[Field, ...]:
    found: list[Field | None] = []
    for row in rows:
        match = _COURSES.match(row.text)
        if match:
            at = match.start(1)
            for text in re.split(r",|;|·|•|\|", match[1]):
                begin = row.text.find(text, at)
                found.append(make_field(row.cut(begin, begin + len(text)).strip(" ."), 0.8))
        elif row.bullet and not _SCORE.search(row.text) and len(row.text.split()) <= 6:  # noqa: PLR2004 - a name
            found.append(make_field(row, 0.6))
    return tuple(field for field in found if field)
