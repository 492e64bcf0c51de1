"""What is known of a person: fields in the form of JSON Resume, each with its confidence and its place in the document.

Nothing here is invented: a field that was not found is None, and an empty page gives an empty profile.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from msgspec import Struct, structs

from dibs.services.resumes.document import Box, Flag

PRESENT = "present"


class Status(StrEnum):
    OK = "ok"
    NEEDS_REVIEW = "needs_review"


class Field(Struct, frozen=True):
    """A value as the document says it, or as a date in ISO form. `normal` is its form in a taxonomy or standard."""

    value: str
    confidence: float = 0.5
    boxes: tuple[Box, ...] = ()
    normal: str | None = None
    reference: str | None = None
    """The address of the normal form in its taxonomy."""


class Part(Struct, frozen=True, rename="camel"):
    """A record of JSON Resume whose attributes are fields, tuples of fields, or parts."""


class Place(Part, frozen=True, kw_only=True):
    address: Field | None = None
    postal_code: Field | None = None
    city: Field | None = None
    region: Field | None = None
    country_code: Field | None = None


class Account(Part, frozen=True, kw_only=True):
    network: Field | None = None
    username: Field | None = None
    url: Field | None = None


class Basics(Part, frozen=True, kw_only=True):
    name: Field | None = None
    label: Field | None = None
    email: Field | None = None
    phone: Field | None = None
    url: Field | None = None
    summary: Field | None = None
    location: Place | None = None
    profiles: tuple[Account, ...] = ()


class Work(Part, frozen=True, kw_only=True):
    name: Field | None = None
    position: Field | None = None
    location: Field | None = None
    url: Field | None = None
    start_date: Field | None = None
    end_date: Field | None = None
    summary: Field | None = None
    highlights: tuple[Field, ...] = ()


class Volunteer(Part, frozen=True, kw_only=True):
    organization: Field | None = None
    position: Field | None = None
    location: Field | None = None
    start_date: Field | None = None
    end_date: Field | None = None
    summary: Field | None = None
    highlights: tuple[Field, ...] = ()


class Education(Part, frozen=True, kw_only=True):
    institution: Field | None = None
    area: Field | None = None
    study_type: Field | None = None
    location: Field | None = None
    start_date: Field | None = None
    end_date: Field | None = None
    score: Field | None = None
    courses: tuple[Field, ...] = ()


class Project(Part, frozen=True, kw_only=True):
    name: Field | None = None
    description: Field | None = None
    url: Field | None = None
    start_date: Field | None = None
    end_date: Field | None = None
    entity: Field | None = None
    highlights: tuple[Field, ...] = ()


class Certificate(Part, frozen=True, kw_only=True):
    name: Field | None = None
    issuer: Field | None = None
    date: Field | None = None


class Award(Part, frozen=True, kw_only=True):
    title: Field | None = None
    awarder: Field | None = None
    date: Field | None = None


class Publication(Part, frozen=True, kw_only=True):
    name: Field | None = None
    publisher: Field | None = None
    release_date: Field | None = None


class Skill(Part, frozen=True, kw_only=True):
    name: Field | None = None
    level: Field | None = None
    keywords: tuple[Field, ...] = ()


class Speech(Part, frozen=True, kw_only=True):
    """A language that a person speaks."""

    language: Field | None = None
    fluency: Field | None = None


class Interest(Part, frozen=True, kw_only=True):
    name: Field | None = None
    keywords: tuple[Field, ...] = ()


class Reference(Part, frozen=True, kw_only=True):
    name: Field | None = None
    reference: Field | None = None


class Profile(Part, frozen=True, kw_only=True):
    basics: Basics = Basics()
    work: tuple[Work, ...] = ()
    volunteer: tuple[Volunteer, ...] = ()
    education: tuple[Education, ...] = ()
    awards: tuple[Award, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    publications: tuple[Publication, ...] = ()
    skills: tuple[Skill, ...] = ()
    languages: tuple[Speech, ...] = ()
    interests: tuple[Interest, ...] = ()
    references: tuple[Reference, ...] = ()
    projects: tuple[Project, ...] = ()
    meta: "Meta"

    def to_json(self) -> dict[str, Any]:
        """Give JSON Resume with `meta`: status, flags, language, and confidence and evidence of each field."""
        resume = self.to_plain()
        resume["meta"] = self.meta.to_json() | {"fields": {path: _told(field) for path, field in self.fields()}}
        return resume

    def to_plain(self) -> dict[str, Any]:
        """Give JSON Resume alone."""
        resume: dict[str, Any] = _plain(self)
        return resume

    def fields(self) -> Iterator[tuple[str, Field]]:
        """Go through all fields with their paths, such as `work[0].startDate`."""
        return _walk(self, "")


class Section(Struct, frozen=True):
    """A part of the document as it was read: what it holds, its words, and how sure the fields made of it are."""

    kind: str
    title: str
    text: str
    confidence: float
    boxes: tuple[Box, ...] = ()
    """One for each line of the text."""

    def to_json(self) -> dict[str, Any]:
        plain = {"kind": self.kind, "title": self.title, "text": self.text, "confidence": round(self.confidence, 3)}
        return plain | {"boxes": [_placed(box) for box in self.boxes]}


class Meta(Struct, frozen=True, kw_only=True):
    status: Status
    flags: tuple[Flag, ...] = ()
    language: str | None = None
    sections: tuple[Section, ...] = ()
    text: str = ""
    """The text for an embedding."""

    def to_json(self) -> dict[str, Any]:
        return {
            "status": self.status.value,
            "flags": [{"code": flag.code, "message": flag.message} for flag in self.flags],
            "language": self.language,
            "sections": [section.to_json() for section in self.sections],
            "text": self.text,
        }


def _plain(value: Any) -> Any:
    if isinstance(value, Field):
        return None if value.value == PRESENT else value.value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    named = ((info.encode_name, getattr(value, info.name)) for info in structs.fields(value) if info.name != "meta")
    plain = ((name, _plain(item)) for name, item in named if item is not None and item != ())
    return {name: item for name, item in plain if item is not None}


def _walk(value: Any, path: str) -> Iterator[tuple[str, Field]]:
    if isinstance(value, Field):
        yield path, value
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _walk(item, f"{path}[{index}]")
    elif isinstance(value, Part):
        for info in structs.fields(value):
            yield from _walk(getattr(value, info.name), f"{path}.{info.encode_name}" if path else info.encode_name)


def _told(field: Field) -> dict[str, Any]:
    evidence = [_placed(box) for box in field.boxes]
    told = {"value": field.value, "confidence": round(field.confidence, 3), "evidence": evidence}
    extra = {"normal": field.normal, "reference": field.reference}
    return told | {name: value for name, value in extra.items() if value is not None}


def _placed(box: Box) -> dict[str, Any]:
    return {"page": box.page, "box": [box.left, box.top, box.right, box.bottom]}
