"""A person dressed for one page: every string as it will be shown, and the truth about what is shown.

A page that shows only years cannot be blamed for months, so the truth is cut to what the page says.
"""

from random import Random
from typing import Any

from msgspec import Struct, field

from evals.resumes.people import Person
from evals.resumes.people.lists import load
from evals.resumes.wording import Wording, choose_wording

ORDERS = (
    ("summary", "work", "education", "skills", "projects", "certificates", "languages", "interests", "references"),
    ("summary", "skills", "work", "projects", "education", "certificates", "languages", "interests", "references"),
    ("summary", "education", "work", "skills", "languages", "certificates", "projects", "interests", "references"),
)


class Traits(Struct, frozen=True):
    """What a template leaves to chance and what it fixes."""

    dates: tuple[str, ...] = ("short", "long", "slash")
    shows_places: bool = True
    shows_address: float = 0.3
    shows_label: float = 0.7
    labelled_contacts: bool = False
    cases: tuple[str, ...] = ("title", "upper")
    skills: tuple[str, ...] = ("flat",)
    order: int | None = None


class Contact(Struct, frozen=True):
    kind: str
    text: str
    label: str = ""
    href: str = ""


class Post(Struct, frozen=True):
    title: str
    org: str
    place: str
    dates: str
    bullets: list[str]


class School(Struct, frozen=True):
    degree: str
    institution: str
    dates: str


class Sheet(Struct, frozen=True):
    language: str
    name: str
    label: str
    summary: str
    contacts: list[Contact]
    headings: dict[str, str]
    order: list[str]
    work: list[Post]
    education: list[School]
    skills: list[str]
    groups: list[tuple[str, list[str]]]
    languages: list[tuple[str, str]]
    projects: list[tuple[str, str]]
    certificates: list[str]
    interests: list[str]
    references: str
    choices: dict[str, Any] = field(default_factory=dict)
    truth: dict[str, Any] = field(default_factory=dict)


def make_sheet(person: Person, traits: Traits, *, seed: str) -> Sheet:
    chance = Random(f"{seed}/{person.seed}")
    wording = choose_wording(chance, person.language, traits.dates, traits.cases)
    truth = _show(chance, person.resume, traits, wording)
    basics = truth["basics"]
    order = ORDERS[chance.randrange(len(ORDERS)) if traits.order is None else traits.order]
    groups = _group(chance, truth["skills"], person.language) if "grouped" in traits.skills else []
    sheet = Sheet(
        language=person.language,
        name=basics["name"],
        label=basics.get("label", ""),
        summary=basics["summary"],
        contacts=_list_contacts(person, basics, traits),
        headings={key: wording.heading(key) for key in (*order, "contact")},
        order=[key for key in order if key == "summary" or truth.get(key)],
        work=[_dress_post(post, wording) for post in truth["work"]],
        education=[_dress_school(school, wording) for school in truth["education"]],
        skills=[skill["name"] for skill in truth["skills"]],
        groups=groups,
        languages=[(one["language"], one["fluency"]) for one in truth["languages"]],
        projects=[(one["name"], one["description"]) for one in truth.get("projects", [])],
        certificates=[one["name"] for one in truth.get("certificates", [])],
        interests=[one["name"] for one in truth.get("interests", [])],
        references=next((one["reference"] for one in truth.get("references", [])), ""),
        choices=_choose(chance),
        truth=truth,
    )
    if groups:
        truth["skills"] = [{"name": name, "keywords": skills} for name, skills in groups]
    return sheet


def _choose(chance: Random) -> dict[str, Any]:
    return {
        "accent": chance.choice(["#1f4e79", "#7a1f3d", "#2e6b4f", "#b5541c", "#3d3d8f", "#222222", "#00838f"]),
        "serif": chance.random() < 0.5,
        "bullet": chance.choice(["•", "–", "▪", "◦", "›"]),
        "size": chance.choice([9.5, 10, 10.5, 11]),
        "separator": chance.choice([" | ", " · ", " • ", "  /  "]),
        "number": chance.randrange(10_000),
    }


def _show(chance: Random, resume: dict[str, Any], traits: Traits, wording: Wording) -> dict[str, Any]:
    basics = dict(resume["basics"])
    location = dict(basics["location"])
    if chance.random() >= traits.shows_address:
        location.pop("address")
    basics["location"] = location
    if chance.random() >= traits.shows_label:
        basics.pop("label")
    shown = {**resume, "basics": basics}
    shown["work"] = [_cut_post(post, traits, wording) for post in resume["work"]]
    lone_years = chance.random() < 0.3
    shown["education"] = [_cut_school(school, wording, lone_years) for school in resume["education"]]
    shown["skills"] = [{"name": name} for name in resume["skills"]]
    return shown


def _cut_post(post: dict[str, Any], traits: Traits, wording: Wording) -> dict[str, Any]:
    cut = {**post, "startDate": wording.cut(post["startDate"]), "endDate": wording.cut(post["endDate"])}
    if not traits.shows_places:
        cut.pop("location")
    return cut


def _cut_school(school: dict[str, Any], wording: Wording, lone_years: bool) -> dict[str, Any]:
    cut = {**school, "startDate": wording.cut(school["startDate"]), "endDate": wording.cut(school["endDate"])}
    if lone_years:
        cut |= {"startDate": None, "endDate": school["endDate"][:4]}
    return cut


def _dress_post(post: dict[str, Any], wording: Wording) -> Post:
    dates = wording.span(post["startDate"], post["endDate"])
    return Post(post["position"], post["name"], post.get("location", ""), dates, post["highlights"])


def _dress_school(school: dict[str, Any], wording: Wording) -> School:
    dates = wording.span(school["startDate"], school["endDate"]) if school["startDate"] else school["endDate"]
    return School(wording.degree(school["studyType"], school["area"]), school["institution"], dates)


def _list_contacts(person: Person, basics: dict[str, Any], traits: Traits) -> list[Contact]:
    labels = load("words")[person.language]["labels"] if traits.labelled_contacts else {}
    place = basics["location"]
    shown_place = ", ".join(place[key] for key in ("address", "city") if key in place)
    listed = [
        Contact("email", basics["email"], labels.get("email", ""), f"mailto:{basics['email']}"),
        Contact("phone", basics["phone"], labels.get("phone", "")),
        Contact("location", shown_place, labels.get("location", "")),
    ]
    for profile in basics["profiles"]:
        label = profile["network"] if labels else ""
        listed.append(Contact("profile", profile["url"].removeprefix("https://"), label, profile["url"]))
    if "url" in basics:
        listed.append(Contact("url", basics["url"].removeprefix("https://"), labels.get("url", ""), basics["url"]))
    return listed


def _group(chance: Random, skills: list[dict[str, Any]], language: str) -> list[tuple[str, list[str]]]:
    names = {
        "en": ["Tools", "Methods", "Professional", "Other"],
        "de": ["Werkzeuge", "Methoden", "Fachlich", "Weitere"],
        "fr": ["Outils", "Méthodes", "Métier", "Autres"],
        "es": ["Herramientas", "Métodos", "Profesionales", "Otras"],
    }[language]
    flat = [skill["name"] for skill in skills]
    at = chance.randint(2, len(flat) - 2)
    first, second = chance.sample(names, 2)
    return [(first, flat[:at]), (second, flat[at:])]
