"""The whole way from a document to a profile."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from dibs.services.resumes.calibration import calibrate_profile
from dibs.services.resumes.document import Document
from dibs.services.resumes.profile import Basics, Field, Meta, Profile, Status
from dibs.services.resumes.profile import Section as Told
from dibs.services.resumes.understanding.fields.contact import find_emails, find_location, find_phones, find_sites
from dibs.services.resumes.understanding.fields.jobs import read_volunteer, read_work
from dibs.services.resumes.understanding.fields.lists import read_interests, read_languages, read_skills
from dibs.services.resumes.understanding.fields.names import find_label, find_name, make_name
from dibs.services.resumes.understanding.fields.records import (
    read_awards,
    read_certificates,
    read_projects,
    read_publications,
    read_references,
)
from dibs.services.resumes.understanding.fields.studies import read_education
from dibs.services.resumes.understanding.language import find_document_language
from dibs.services.resumes.understanding.layout import arrange
from dibs.services.resumes.understanding.sections.rows import Looks, Row, join_pieces
from dibs.services.resumes.understanding.sections.splitting import Section, split_sections
from dibs.services.resumes.understanding.sections.wording import Kind

_READERS: dict[Kind, tuple[str, Callable[[Sequence[Row]], tuple[Any, ...]]]] = {
    Kind.WORK: ("work", read_work),
    Kind.EDUCATION: ("education", read_education),
    Kind.VOLUNTEER: ("volunteer", read_volunteer),
    Kind.LANGUAGES: ("languages", read_languages),
    Kind.CERTIFICATES: ("certificates", read_certificates),
    Kind.PROJECTS: ("projects", read_projects),
    Kind.AWARDS: ("awards", read_awards),
    Kind.PUBLICATIONS: ("publications", read_publications),
    Kind.REFERENCES: ("references", read_references),
}

_SHORTEST_SUMMARY = 40


def understand(document: Document, *, today: date) -> Profile:
    """Make a profile of what a document says. `today` is the day that "present" means."""
    return calibrate_profile(understand_raw(document, today=today), document)


def understand_raw(document: Document, *, today: date) -> Profile:
    """The same with the scores of the rules, which calibration learns from."""
    del today
    sections, looks = split_sections(arrange(document))
    rows = [row for section in sections for row in section.rows]
    language = find_document_language("\n".join(row.text for row in rows))
    parts = _read_parts(sections, looks)
    basics = _read_basics(sections, looks, document, language)
    told = tuple(Told(s.kind.value, s.title.text if s.title else "", s.text, 0.8) for s in sections)
    meta = Meta(status=Status.OK, flags=document.flags, language=language, sections=told)
    return Profile(basics=basics, meta=meta, **parts)


def _read_parts(sections: Sequence[Section], looks: Looks) -> dict[str, tuple[Any, ...]]:
    parts: dict[str, tuple[Any, ...]] = {}
    for section in sections:
        if section.kind in _READERS:
            name, read = _READERS[section.kind]
            parts[name] = parts.get(name, ()) + read(section.rows)
        elif section.kind is Kind.SKILLS:
            parts["skills"] = parts.get("skills", ()) + read_skills(section.rows, looks)
        elif section.kind is Kind.INTERESTS:
            parts["interests"] = parts.get("interests", ()) + read_interests(section.rows, looks)
    return parts


def _read_basics(sections: Sequence[Section], looks: Looks, document: Document, language: str | None) -> Basics:
    top = [row for section in sections if section.kind in (Kind.HEADER, Kind.CONTACT) for row in section.rows]
    rows = [row for section in sections for row in ([section.title] if section.title else []) + section.rows]
    emails = find_emails(top, document) or find_emails(rows, document)
    name = find_name([*top, *(row for row in rows if row not in top)], looks, emails)
    location = find_location([row for row in top if name is None or row is not name.row])
    country = location.country_code.value if location and location.country_code else None
    phones = find_phones(top, document, language or "en", country) or find_phones(
        rows, document, language or "en", country
    )
    accounts, sites = find_sites(top, document)
    return Basics(
        name=make_name(name),
        label=find_label(top, name),
        email=emails[0] if emails else None,
        phone=phones[0] if phones else None,
        url=sites[0] if sites else None,
        summary=_read_summary(sections),
        location=location,
        profiles=tuple(accounts),
    )


def _read_summary(sections: Sequence[Section]) -> Field | None:
    """Take the section that is called so, or the running text in the header."""
    named = [_find_prose(section.rows) for section in sections if section.kind is Kind.SUMMARY]
    prose = max(named, key=len, default=[]) or _find_prose(sections[0].rows if sections else [])
    if not prose:
        return None
    piece = join_pieces(prose)
    return Field(piece.text, 0.85 * piece.clarity, piece.boxes)


def _find_prose(rows: Sequence[Row]) -> list[Row]:
    """Give the longest stretch of running text."""
    best: list[Row] = []
    run: list[Row] = []
    for row in rows:
        words = row.text.split()
        low = sum(word[:1].islower() for word in words)
        told = len(words) > 2 and low >= 0.4 * len(words) and "@" not in row.text  # noqa: PLR2004 - no name has so many
        run = [*run, row] if told or (run and run[-1].text[-1:] not in ".!?" and low) else []
        best = max(best, run, key=lambda found: sum(len(one.text) for one in found))
    return best if sum(len(row.text) for row in best) >= _SHORTEST_SUMMARY else []
