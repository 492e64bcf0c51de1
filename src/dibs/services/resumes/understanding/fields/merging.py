"""Entries that a document tells twice, made one."""

from typing import Any

from dibs.services.resumes.profile import Education, Skill, Work


def merge_parts(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Keep the first of entries that are the same person's same thing."""
    kept: dict[object, Any] = {}
    for index, part in enumerate(parts):
        kept.setdefault(_key(part) or index, part)
    return tuple(kept.values())


def _key(part: Any) -> object:
    if isinstance(part, Work) and part.start_date:
        return (_said(part.name), _said(part.position), part.start_date.value)
    if isinstance(part, Education) and (part.study_type or part.area):
        return (_said(part.institution), _said(part.study_type), _said(part.area))
    if isinstance(part, Skill) and part.name and not part.keywords:
        return (part.name.normal or part.name.value).casefold()
    return None


def _said(field: Any) -> str:
    return (field.normal or field.value).casefold() if field else ""
