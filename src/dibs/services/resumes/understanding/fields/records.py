"""Sections whose entries are short: projects, certificates, awards, publications, references."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from dibs.services.resumes.profile import Award, Certificate, Field, Project, Publication, Reference
from dibs.services.resumes.understanding.fields.cutting import split_row
from dibs.services.resumes.understanding.fields.entries import Entry, find_entries, is_dates_only
from dibs.services.resumes.understanding.fields.making import make_dates, make_field, make_highlights
from dibs.services.resumes.understanding.sections.rows import Piece, Row, join_pieces

_ISSUED = re.compile(
    r"^(?:issued|awarded|published|received|by|issuer|ausgestellt|délivré|emitido)(?:\s+(?:on|by|von|par|por|am))?\s*:?\s*",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"^(?:\[?\d{1,3}[.\])]\s*)?[^\W\d_][^()]{2,200}?\((?P<year>(?:19|20)\d\d)[a-z]?\)[.,:]?\s+(?P<title>[^.?!]{5,}[?!]?)(?:\.\s*(?P<where>[^.,\d(]*[^\W\d_]))?"
)
Made = TypeVar("Made")
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_COMMA = re.compile(r",\s+(?=[A-Z])")


def _entries(rows: Sequence[Row]) -> list[Entry]:
    """Each list item is an entry where there is nothing but items; dates lead otherwise."""
    plain = [row for row in rows if not row.bullet]
    if rows and not plain:
        return [Entry([row], [], [(row, span) for span in row.spans]) for row in rows]
    if (
        not any(row.spans for row in rows)
        and not any(row.bullet for row in rows)
        and len({row.style for row in rows}) == 1
    ):
        return [Entry([row], [], []) for row in rows]
    return find_entries(rows)


def _pieces(entry: Entry) -> list[Piece]:
    found: list[Piece] = []
    for row in entry.head:
        if is_dates_only(row):
            continue
        for piece in split_row(row):
            match = _ISSUED.match(piece.text)
            bare = piece.cut(match.end(), len(piece.text)) if match else piece
            cut = _COMMA.search(bare.text)
            if cut and not found:
                found += [bare.cut(0, cut.start()), bare.cut(cut.end(), len(bare.text))]
            elif bare.text:
                found.append(bare)
    return found


def _read(rows: Sequence[Row], make: Callable[[Field | None, Field | None, Field | None], Made]) -> tuple[Made, ...]:
    found = []
    for entry in _entries(rows):
        pieces = _pieces(entry)
        _, end = make_dates(entry.dated)
        start, _ = make_dates(entry.dated)
        if pieces:
            second = make_field(pieces[1], 0.65) if len(pieces) > 1 else None
            found.append(make(make_field(pieces[0], 0.75), second, end or start))
    return tuple(found)


def read_certificates(rows: Sequence[Row]) -> tuple[Certificate, ...]:
    return _read(rows, lambda name, issuer, date: Certificate(name=name, issuer=issuer, date=date))


def read_awards(rows: Sequence[Row]) -> tuple[Award, ...]:
    return _read(rows, lambda title, awarder, date: Award(title=title, awarder=awarder, date=date))


def read_publications(rows: Sequence[Row]) -> tuple[Publication, ...]:
    if any(_CITED.match(row.text) for row in rows):
        return tuple(_read_cited(rows))
    return _read(rows, lambda name, by, date: Publication(name=name, publisher=by, release_date=date))


def _read_cited(rows: Sequence[Row]) -> Iterator[Publication]:
    """Read what scholars cite: authors, a year in brackets, the title, where it was published."""
    items: list[list[Row]] = []
    for row in rows:
        if _CITED.match(row.text) or not items:
            items.append([])
        items[-1].append(row)
    for piece in map(join_pieces, items):
        if match := _CITED.match(piece.text):
            year = piece.cut(*match.span("year"))
            yield Publication(
                name=make_field(piece.cut(*match.span("title")), 0.75),
                publisher=make_field(piece.cut(*match.span("where")), 0.6) if match["where"] else None,
                release_date=make_field(year, 0.85),
            )


def read_projects(rows: Sequence[Row]) -> tuple[Project, ...]:
    found = []
    for entry in _entries(rows):
        pieces = [piece for piece in _pieces(entry) if not _URL.match(piece.text)]
        start, end = make_dates(entry.dated)
        highlights, told = make_highlights(entry.body)
        if pieces:
            more = make_field(pieces[1], 0.5) if len(pieces) > 1 else None
            found.append(
                Project(
                    name=make_field(pieces[0], 0.72),
                    description=told or more,
                    start_date=start,
                    end_date=end,
                    highlights=highlights,
                )
            )
    return tuple(found)


def read_references(rows: Sequence[Row]) -> tuple[Reference, ...]:
    text = [row for row in rows if row.text]
    if not text or re.search(
        r"(?:available|on request|auf anfrage|sur demande|petición)", " ".join(r.text for r in text), re.IGNORECASE
    ):
        return ()
    return tuple(Reference(name=make_field(entry.head[0], 0.5)) for entry in find_entries(text) if entry.head)
