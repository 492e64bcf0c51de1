"""The normal form of a value by the field it stands in, for values that the rules have not read themselves."""

from collections.abc import Callable, Sequence

from dibs.services.resumes.understanding.normal.degrees import find_degree
from dibs.services.resumes.understanding.normal.organisations import simplify_organisation
from dibs.services.resumes.understanding.normal.skills import find_skill
from dibs.services.resumes.understanding.normal.speech import find_languages
from dibs.services.resumes.understanding.normal.titles import name_title


def find_normal(field: str, value: str, beside: Sequence[str] = ()) -> dict[str, str]:
    """Give `normal`, and `reference` where a taxonomy has one; nothing where there is none.

    `field` is such as `work.position`; `beside`: what stands in the same list, which tells what a short name means.
    """
    if field == "skills.name":
        known = find_skill(value, beside)
        found = {} if known is None else {"normal": known.name, "reference": known.reference}
    else:
        find = _FINDERS.get(field)
        found = {} if find is None else {"normal": find(value)}
    return {name: text for name, text in found.items() if text is not None}


def _name_degree(text: str) -> str | None:
    degree = find_degree(text)
    return None if degree is None else degree.level


def _name_language(text: str) -> str | None:
    return next((language.code for language in find_languages(text)), None)


_FINDERS: dict[str, Callable[[str], str | None]] = {
    "work.position": name_title,
    "volunteer.position": name_title,
    "work.name": simplify_organisation,
    "volunteer.organization": simplify_organisation,
    "education.studyType": _name_degree,
    "languages.language": _name_language,
}
