"""The whole way from a document to a profile."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from msgspec.structs import replace

from dibs.services.resumes.document import Document
from dibs.services.resumes.profile import Meta, Profile, Section
from dibs.services.resumes.understanding.fields.basics import read_basics
from dibs.services.resumes.understanding.fields.jobs import read_volunteer, read_work
from dibs.services.resumes.understanding.fields.lists import read_interests, read_skills
from dibs.services.resumes.understanding.fields.merging import merge_parts
from dibs.services.resumes.understanding.fields.records import (
    read_awards,
    read_certificates,
    read_projects,
    read_publications,
    read_references,
)
from dibs.services.resumes.understanding.fields.speaking import read_languages
from dibs.services.resumes.understanding.fields.studies import read_education
from dibs.services.resumes.understanding.finishing import (
    find_status,
    flag_dates,
    flag_sections,
    list_flags,
    mean_confidence,
    write_text,
)
from dibs.services.resumes.understanding.language import find_document_language
from dibs.services.resumes.understanding.layout import arrange
from dibs.services.resumes.understanding.sections.guessing import guess_sections
from dibs.services.resumes.understanding.sections.rows import Looks, Row
from dibs.services.resumes.understanding.sections.splitting import Section as Rows
from dibs.services.resumes.understanding.sections.splitting import split_sections
from dibs.services.resumes.understanding.sections.wording import Kind

Parts = dict[str, tuple[Any, ...]]
Read = Callable[[Sequence[Row], Looks], tuple[Any, ...]]


def understand(document: Document, *, today: date) -> Profile:
    """Make a profile of what a document says. `today` is the day by which a date is in the future."""
    split, looks = split_sections(arrange(document))
    sections, unheaded = guess_sections(split)
    language = find_document_language("\n".join(section.text for section in sections))
    parts, told = _read_sections(sections, looks)
    basics = read_basics(sections, looks, document, language)
    flags = list_flags(document, basics, language, unheaded=unheaded)
    flags += [*flag_dates(parts.get("work", ()), today), *flag_sections(told)]
    meta = Meta(status=find_status(flags), flags=tuple(flags), language=language, sections=told)
    profile = Profile(basics=basics, meta=meta, **parts)
    return replace(profile, meta=replace(meta, text=write_text(profile)))


def _plain(read: Callable[[Sequence[Row]], tuple[Any, ...]]) -> Read:
    return lambda rows, _looks: read(rows)


_READERS: dict[Kind, tuple[str, Read]] = {
    Kind.WORK: ("work", _plain(read_work)),
    Kind.EDUCATION: ("education", _plain(read_education)),
    Kind.VOLUNTEER: ("volunteer", _plain(read_volunteer)),
    Kind.SKILLS: ("skills", read_skills),
    Kind.LANGUAGES: ("languages", _plain(read_languages)),
    Kind.CERTIFICATES: ("certificates", _plain(read_certificates)),
    Kind.PROJECTS: ("projects", _plain(read_projects)),
    Kind.AWARDS: ("awards", _plain(read_awards)),
    Kind.PUBLICATIONS: ("publications", _plain(read_publications)),
    Kind.INTERESTS: ("interests", read_interests),
    Kind.REFERENCES: ("references", _plain(read_references)),
}


def _read_sections(sections: Sequence[Rows], looks: Looks) -> tuple[Parts, tuple[Section, ...]]:
    """Read each section by its kind, and remember how sure it was."""
    parts: Parts = {}
    told = []
    for section in sections:
        confidence = 1.0
        if section.kind in _READERS and section.rows:
            name, read = _READERS[section.kind]
            found = read(section.rows, looks)
            parts[name] = parts.get(name, ()) + found
            confidence = mean_confidence(found) if section.kind is not Kind.REFERENCES else 1.0
        told.append(Section(section.kind.value, section.title.text if section.title else "", section.text, confidence))
    return {name: merge_parts(found) for name, found in parts.items()}, tuple(told)
