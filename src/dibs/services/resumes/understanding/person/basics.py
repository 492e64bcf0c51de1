"""Who the person is and how to reach them, out of the head of the resume and its contact sections."""

import re
from collections.abc import Sequence
from itertools import pairwise

from dibs.services.resumes.document import Document
from dibs.services.resumes.profile import Basics, Field
from dibs.services.resumes.understanding.person.contact import PHONE_LIKE, find_emails, find_phones, find_written
from dibs.services.resumes.understanding.person.homes import find_location
from dibs.services.resumes.understanding.person.names import Found, find_label, find_name, make_name
from dibs.services.resumes.understanding.person.sites import find_sites
from dibs.services.resumes.understanding.sections.rows import Looks, Row, as_row, join_pieces
from dibs.services.resumes.understanding.sections.splitting import Section
from dibs.services.resumes.understanding.sections.wording import Kind

_SHORTEST_SUMMARY = 40
_ADDRESS = re.compile(r"(?:\S+\.\S+|\W+)(?:\s+(?:\S+\.\S+|\W+))*")
"""A line of nothing but addresses."""


def read_basics(sections: Sequence[Section], looks: Looks, document: Document, language: str | None) -> Basics:
    """Look into the head and the contact sections first, and only then into the rest."""
    top = [row for section in sections if section.kind in (Kind.HEADER, Kind.CONTACT) for row in section.rows]
    rows = [row for section in sections for row in ([section.title] if section.title else []) + section.rows]
    about = [row for section in sections if section.kind is Kind.SUMMARY for row in section.rows]
    emails = find_emails(top, document) or find_emails(rows, document) or find_written(top, rows)
    name = find_name([*top, *(row for row in rows if row not in top)], looks, emails)
    places = [piece for row in top for piece in (_beside(row, name) if name and row is name.row else [row])]
    location = find_location(places) or find_location([row for row in about if len(row.text.split()) < 8])  # noqa: PLR2004
    country = location.country_code.value if location and location.country_code else None
    phones = find_phones(top, document, language or "en", country) or find_phones(
        rows, document, language or "en", country
    )
    accounts, sites = find_sites([*top, *about], document)
    label = find_label(top, name)
    return Basics(
        name=make_name(name),
        label=label,
        email=emails[0] if emails else None,
        phone=phones[0] if phones else None,
        url=sites[0] if sites else None,
        summary=_read_summary(sections, label),
        location=location,
        profiles=tuple(accounts),
    )


def _beside(row: Row, name: Found) -> list[Row]:
    """What stands on the line of the name behind a wide gap."""
    others = [part for part in row.parts if not set(part.words) & set(name.piece.words)]
    return [as_row(part, row) for part in others]


def _read_summary(sections: Sequence[Section], label: Field | None) -> Field | None:
    """Take the section that is called so, or the running text in the header."""
    named = [_find_prose(section.rows) for section in sections if section.kind is Kind.SUMMARY]
    header = [row for row in sections[0].rows if label is None or row.text != label.value] if sections else []
    prose = max(named, key=len, default=[]) or _find_prose(header)
    if not prose:
        return None
    piece = join_pieces(prose)
    return Field(piece.text, 0.85 * piece.clarity, piece.boxes)


def _is_contact(row: Row) -> bool:
    """Addresses and numbers are no running text, nor does it run around them."""
    addressed = any(_ADDRESS.fullmatch(part.text) for part in row.parts)
    return "@" in row.text or PHONE_LIKE.search(row.text) is not None or addressed


def _find_prose(rows: Sequence[Row]) -> list[Row]:
    """Give the longest stretch of running text."""
    best: list[Row] = []
    run: list[Row] = []
    for above, row in pairwise([None, *rows]):
        if row is None or _is_contact(row):
            run = []
            continue
        words = row.text.split()
        low = sum(word[:1].islower() for word in words)
        told = len(words) > 2 and low >= 0.4 * len(words)  # noqa: PLR2004 - no name has so many
        goes_on = run and run[-1].text[-1:] not in ".!?" and low
        # Nothing begins with a small letter: the line above has the first words, which nouns or names may be.
        lead = [above] if above and not run and told and _is_begun(above, row) else []
        run = [*lead, *run, row] if told or goes_on else []
        best = max(best, run, key=lambda found: sum(len(one.text) for one in found))
    return best if sum(len(row.text) for row in best) >= _SHORTEST_SUMMARY else []


def _is_begun(above: Row, row: Row) -> bool:
    alike = above.style == row.style and above.column == row.column and not _is_contact(above)
    return alike and row.text[:1].islower() and above.text[-1:] not in ".!?"
