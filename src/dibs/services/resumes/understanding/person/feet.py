"""Contacts at the foot of a column, under a heading that is not theirs."""

from collections.abc import Iterator, Sequence

from dibs.services.resumes.understanding.person.contact import EMAIL, PHONE_LIKE
from dibs.services.resumes.understanding.sections.rows import Row
from dibs.services.resumes.understanding.sections.splitting import Section
from dibs.services.resumes.understanding.sections.wording import Kind

_LISTS = {Kind.SKILLS, Kind.LANGUAGES, Kind.INTERESTS, Kind.CERTIFICATES, Kind.AWARDS}
_FEWEST = 2
_LONGEST = 6


def part_contacts(sections: Sequence[Section]) -> list[Section]:
    """Where no head says how to reach the person, the end of a list that does is a section of its own."""
    if any(EMAIL.search(section.text) for section in sections if section.kind in (Kind.HEADER, Kind.CONTACT)):
        return list(sections)
    return [part for section in sections for part in _part(section)]


def _part(section: Section) -> Iterator[Section]:
    at = _find_contacts(section.rows) if section.kind in _LISTS else None
    if at is None and section.kind is not Kind.REFERENCES:
        at = _find_line(section.rows)
    if at is None:
        yield section
        return
    contact = Section(Kind.CONTACT)
    contact.rows = section.rows[at:]
    section.rows = section.rows[:at]
    yield from (section, contact)


def _find_line(rows: Sequence[Row]) -> int | None:
    """Find a last line that holds both an address and a number: the foot of a page has such."""
    last = rows[-1].text if len(rows) > 1 else ""
    return len(rows) - 1 if EMAIL.search(last) and PHONE_LIKE.search(last) else None


def _find_contacts(rows: Sequence[Row]) -> int | None:
    """Find the first of the rows that hold addresses and numbers, if short lines follow them to the end."""
    reached = [index for index, row in enumerate(rows) if EMAIL.search(row.text) or PHONE_LIKE.search(row.text)]
    mailed = any(EMAIL.search(rows[index].text) for index in reached)
    if not mailed or len(rows) - reached[0] < _FEWEST:
        return None
    at = reached[0]
    if at and not any(char.isalnum() for char in rows[at - 1].text):
        at -= 1
    return at if all(len(row.text.split()) <= _LONGEST for row in rows[at:]) else None
