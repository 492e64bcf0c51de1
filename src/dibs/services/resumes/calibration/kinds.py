"""Which kind of field stands at a path of JSON Resume: what is learnt about one job title holds for all of them."""

import re

_KINDS = {
    "basics.name": "name",
    "basics.label": "label",
    "basics.email": "email",
    "basics.phone": "phone",
    "basics.url": "link",
    "basics.profiles.url": "link",
    "basics.location.city": "location",
    "work.name": "organisation",
    "work.position": "title",
    "work.location": "place",
    "work.startDate": "date",
    "work.endDate": "date",
    "education.institution": "institution",
    "education.studyType": "degree",
    "education.area": "area",
    "education.startDate": "date",
    "education.endDate": "date",
    "skills.name": "skill",
    "skills.keywords": "skill",
    "languages.language": "language",
    "certificates.name": "certificate",
    "projects.name": "project",
}


def find_kind(path: str) -> str | None:
    """The kind of field at a path such as `work[0].position`; None where nothing was learnt."""
    return _KINDS.get(re.sub(r"\[\d+\]", "", path))
