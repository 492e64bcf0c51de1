"""What a document or a section without a telling heading holds, by what it says."""

from collections.abc import Sequence

from dibs.services.resumes.understanding.fields.entries import Entry, find_entries
from dibs.services.resumes.understanding.normal.degrees import find_degree
from dibs.services.resumes.understanding.normal.organisations import judge_school
from dibs.services.resumes.understanding.normal.skills import cut_skills, find_skill
from dibs.services.resumes.understanding.normal.speech import find_fluency, find_languages
from dibs.services.resumes.understanding.person.contact import EMAIL
from dibs.services.resumes.understanding.sections.headings import clean
from dibs.services.resumes.understanding.sections.rows import Row
from dibs.services.resumes.understanding.sections.splitting import Section
from dibs.services.resumes.understanding.sections.wording import Kind, find_exact, simplify

_LISTED = 3
_TOP = 6
_KNOWN = 0.4


def guess_sections(sections: Sequence[Section]) -> tuple[list[Section], bool]:
    """Sort what no heading names; tell whether there was no heading at all."""
    sections = [part for section in sections for part in _part_spoken(section)]
    named = [section for section in sections if section.kind not in (Kind.HEADER, Kind.CONTACT, Kind.OTHER)]
    for section in sections:
        if section.kind is Kind.OTHER and section.rows and _are_skills(section.rows):
            section.kind = Kind.SKILLS
        elif _is_employed(section):
            section.kind = Kind.WORK
        elif section.kind is Kind.OTHER and any(EMAIL.search(row.text) for row in section.rows):
            # A name set like the headings, over the address.
            section.kind = Kind.CONTACT
    if named and not any(section.kind is Kind.WORK for section in named) and _has_entries(sections[0]):
        return [*_sort_rows(sections[0].rows), *sections[1:]], False
    if named or not sections:
        return list(sections), False
    rows = [row for section in sections for row in section.rows]
    found = _sort_rows(rows)
    return found, len(found) > 1


def _part_spoken(section: Section) -> list[Section]:
    """Part a line of languages that people speak from the skills: "Languages: Korean, English", not "Languages: Go, Rust"."""
    spoken = Section(Kind.LANGUAGES)
    for row in list(section.rows) if section.kind is Kind.SKILLS else []:
        count = _count_name(row)
        items = [item for item in " ".join(word.text for word in row.words[count:]).split(",") if item.strip()]
        if count and items and all(find_languages(item) for item in items):
            section.rows.remove(row)
            spoken.rows.append(row.without(count))
    return [section, spoken] if spoken.rows else [section]


def _count_name(row: Row) -> int:
    """Count the words before the list, where they say that languages follow."""
    count = len(row.parts[0].words) if len(row.parts) > 1 else len(row.text.partition(":")[0].split())
    name = " ".join(word.text for word in row.words[:count])
    return count if find_exact(clean(name)) is Kind.LANGUAGES and count < len(row.words) else 0


def _is_employed(section: Section) -> bool:
    """ "Research" may be what somebody published, or where somebody worked from when to when."""
    title = simplify(section.title.text) if section.title else ""
    ranged = any(span.is_range for row in section.rows for span in row.spans)
    return section.kind is Kind.PUBLICATIONS and title == "research" and ranged


def _has_entries(header: Section) -> bool:
    """Entries that no heading names, before the first heading."""
    ranged = [row for row in header.rows if any(span.is_range for span in row.spans)]
    return header.kind is Kind.HEADER and len(ranged) > 1


def _are_skills(rows: Sequence[Row]) -> bool:
    known, total = _count_skills(rows)
    return total >= _LISTED and known >= _KNOWN * total


def _count_skills(rows: Sequence[Row]) -> tuple[int, int]:
    items = [
        item.strip() for row in rows for item in row.text.replace("·", ",").replace("|", ",").split(",") if item.strip()
    ]
    known = sum(bool(find_skill(item)) or bool(cut_skills(item.split())) for item in items)
    return known, len(items)


def _sort_rows(rows: list[Row]) -> list[Section]:
    """Without headings, dates show where entries are; lists of skills and languages show themselves."""
    header, work, education, skills, languages = (
        Section(kind) for kind in (Kind.HEADER, Kind.WORK, Kind.EDUCATION, Kind.SKILLS, Kind.LANGUAGES)
    )
    plain: list[Row] = []
    reached = max((index for index, row in enumerate(rows[:_TOP]) if EMAIL.search(row.text)), default=-1) + 1
    header.rows += rows[:reached]
    for row in rows[reached:]:
        home = languages if _is_spoken(row) else skills if _is_list(row) else None
        if home is None:
            plain.append(row)
        else:
            home.rows.append(row)
    for entry in find_entries(plain):
        ranged = any(span.is_range for _, span in entry.dated)
        home = education if _is_study(entry) else work if ranged else header
        home.rows += [*entry.head, *entry.body]
    return [section for section in (header, work, education, skills, languages) if section.rows]


def _is_list(row: Row) -> bool:
    known, total = _count_skills([row])
    return total >= _LISTED and known >= 0.5 * total


def _is_spoken(row: Row) -> bool:
    return len(find_languages(row.text)) > 1 and find_fluency(row.text) is not None


def _is_study(entry: Entry) -> bool:
    return any(find_degree(row.text) or judge_school(row.text) > 0 for row in entry.head) and bool(entry.dated)
