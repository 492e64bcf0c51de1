"""The whole way from a document to a profile."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.services.resumes.calibration import calibrate_profile
from dibs.services.resumes.document import Document
from dibs.services.resumes.embedding import write_text
from dibs.services.resumes.profile import Meta, Profile, Section, Status
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
)
from dibs.services.resumes.understanding.language import find_document_language
from dibs.services.resumes.understanding.layout import arrange
from dibs.services.resumes.understanding.person.basics import read_basics
from dibs.services.resumes.understanding.person.feet import part_contacts
from dibs.services.resumes.understanding.sections.guessing import guess_sections
from dibs.services.resumes.understanding.sections.rows import Looks, Row
from dibs.services.resumes.understanding.sections.splitting import Section as Rows
from dibs.services.resumes.understanding.sections.splitting import split_sections
from dibs.services.resumes.understanding.sections.wording import Kind

Parts = dict[str, tuple[Any, ...]]
Read = Callable[[Sequence[Row], Looks], tuple[Any, ...]]


class Reading(Struct, frozen=True):
    """What was read, before it is told how sure that is."""

    profile: Profile
    sections: tuple[Rows, ...]
    unheaded: bool


def understand(document: Document, *, today: date) -> Profile:
    """Make a profile of what a document says. `today` is the day by which a date is in the future."""
    reading = _read(document)
    calibrated = calibrate_profile(reading.profile, document)
    return _finish(replace(reading, profile=calibrated), document, today)


def understand_raw(document: Document) -> Profile:
    """Give the fields with the scores of the rules, which calibration learns from."""
    return _read(document).profile


def _read(document: Document) -> Reading:
    split, looks = split_sections(arrange(document))
    guessed, unheaded = guess_sections(split)
    sections = part_contacts(guessed)
    language = find_document_language("\n".join(_say(section) for section in sections))
    basics = read_basics(sections, looks, document, language)
    meta = Meta(status=Status.OK, language=language)
    return Reading(Profile(basics=basics, meta=meta, **_read_sections(sections, looks)), tuple(sections), unheaded)


def _say(section: Rows) -> str:
    """Give all that a section says; where that is little, its heading tells the language."""
    return f"{section.title.text}\n{section.text}" if section.title else section.text


def _finish(reading: Reading, document: Document, today: date) -> Profile:
    profile = reading.profile
    told = tuple(_tell(section, profile) for section in reading.sections)
    flags = list_flags(document, profile.basics, profile.meta.language, unheaded=reading.unheaded)
    flags += [*flag_dates(profile.work, today), *flag_sections(told)]
    text = write_text(profile.to_plain(), {path: field.normal for path, field in profile.fields() if field.normal})
    meta = replace(profile.meta, status=find_status(flags), flags=tuple(flags), sections=told, text=text)
    return replace(profile, meta=meta)


def _tell(section: Rows, profile: Profile) -> Section:
    """Say what a section holds and how sure that is; sections of one kind are as sure as all of them."""
    confidence = 1.0
    if section.kind in _READERS and section.kind is not Kind.REFERENCES and section.rows:
        confidence = mean_confidence(getattr(profile, _READERS[section.kind][0]))
    title = section.title.text if section.title else ""
    return Section(section.kind.value, title, section.text, confidence, tuple(row.line.box for row in section.rows))


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


def _read_sections(sections: Sequence[Rows], looks: Looks) -> Parts:
    parts: Parts = {}
    for section in sections:
        if section.kind in _READERS and section.rows:
            name, read = _READERS[section.kind]
            parts[name] = parts.get(name, ()) + read(section.rows, looks)
    return {name: merge_parts(found) for name, found in parts.items()}
