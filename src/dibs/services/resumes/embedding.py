"""The text by which a profile is found: what the person can and has done, without name and contact."""

from collections.abc import Iterator, Mapping
from typing import Any


def write_text(resume: Mapping[str, Any], normals: Mapping[str, str]) -> str:
    """Write the text for an embedding of JSON Resume. `normals`: normal forms by the paths of their fields."""
    basics = resume.get("basics", {})
    lines = [basics.get("label"), basics.get("summary"), ", ".join(dict.fromkeys(_name_skills(resume, normals)))]
    for work in resume.get("work", ()):
        lines.append(" at ".join(_list(work, "position", "name")))
        lines += [work.get("summary"), *work.get("highlights", ())]
    lines += [", ".join(_list(study, "studyType", "area", "institution")) for study in resume.get("education", ())]
    lines += [one.get("name") for section in ("certificates", "projects") for one in resume.get(section, ())]
    lines.append(", ".join(name for one in resume.get("languages", ()) for name in _list(one, "language")))
    return "\n".join(line for line in lines if line)


def list_normals(fields: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Take the normal forms out of `meta.fields`."""
    return {path: told["normal"] for path, told in fields.items() if told.get("normal")}


def _name_skills(resume: Mapping[str, Any], normals: Mapping[str, str]) -> Iterator[str]:
    for number, skill in enumerate(resume.get("skills", ())):
        at = f"skills[{number}]"
        yield from (normals.get(f"{at}.name", name) for name in _list(skill, "name"))
        for index, keyword in enumerate(skill.get("keywords", ())):
            yield normals.get(f"{at}.keywords[{index}]", keyword)


def _list(entry: Mapping[str, Any], *names: str) -> list[str]:
    return [entry[name] for name in names if entry.get(name)]
