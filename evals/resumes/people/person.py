"""One person: drawn from the lists by a seed, whole, before any layout decides what of it is shown."""

import re
import unicodedata
from random import Random
from typing import Any

from msgspec import Struct

from evals.resumes.people.career import make_education, make_work
from evals.resumes.people.lists import load

ENGLISH_SHARE = 0.6


class Person(Struct, frozen=True):
    seed: str
    country: str
    language: str
    field: str
    resume: dict[str, Any]


def make_person(seed: str) -> Person:
    chance = Random(seed)
    country = _draw_country(chance)
    facts = load("countries")[country]
    field = chance.choice(sorted(load("careers")))
    language = facts["language"]
    resume: dict[str, Any] = {"basics": _make_basics(chance, facts)}
    resume["work"] = make_work(chance, facts, field)
    resume["basics"]["label"] = resume["work"][0]["position"]
    resume["education"] = make_education(chance, facts, field)
    resume["skills"] = _make_skills(chance, language, field)
    resume["basics"]["summary"] = _make_summary(chance, language, resume)
    resume |= _make_extras(chance, language, field)
    return Person(seed, country, language, field, resume)


def _draw_country(chance: Random) -> str:
    english = chance.random() < ENGLISH_SHARE
    return chance.choice(
        [key for key, facts in sorted(load("countries").items()) if (facts["language"] == "en") == english]
    )


def _make_basics(chance: Random, facts: dict[str, Any]) -> dict[str, Any]:
    pool = load("names")[chance.choice(facts["origins"])]
    given, family = chance.choice(pool["given"]), chance.choice(pool["family"])
    if facts["language"] == "en" and chance.random() < 0.15:
        given += f" {chance.choice('ABCDEFGHJKLMNPRSTW')}."
    handle = _make_handle(chance, given, family)
    host = chance.choice(
        [
            "example.com",
            "example.org",
            f"mail.{facts['domain'].rpartition('.')[2]}.example",
            "post.example.net",
            "inbox.example",
        ]
    )
    basics: dict[str, Any] = {"name": f"{given} {family}", "email": f"{handle}@{host}"}
    basics["phone"] = fill_digits(chance, chance.choice(facts["phones"]))
    basics["location"] = _make_location(chance, facts)
    basics["profiles"] = _make_profiles(chance, handle)
    if chance.random() < 0.35:
        basics["url"] = (
            f"https://{handle.replace('.', '').replace('_', '')}.example.{chance.choice(['com', 'dev', 'org'])}"
        )
    return basics


def _make_location(chance: Random, facts: dict[str, Any]) -> dict[str, str]:
    city = chance.choice(facts["cities"])
    street = chance.choice(facts["streets"]).format(n=chance.randint(2, 180), m=chance.randint(1, 24))
    return {"city": city, "address": street, "countryCode": facts["code"], "country": facts["name"]}


def _make_profiles(chance: Random, handle: str) -> list[dict[str, str]]:
    networks = {"LinkedIn": "linkedin.com/in/", "GitHub": "github.com/", "X": "x.com/"}
    chosen = [name for name, share in (("LinkedIn", 0.7), ("GitHub", 0.35), ("X", 0.08)) if chance.random() < share]
    user = handle.replace(".", "-")
    return [{"network": name, "username": user, "url": f"https://{networks[name]}{user}"} for name in chosen]


def _make_handle(chance: Random, given: str, family: str) -> str:
    first, last = _plain(given.split(maxsplit=1)[0]), _plain(family)
    forms = [
        f"{first}.{last}",
        f"{first}{last}",
        f"{first[0]}.{last}",
        f"{first}_{last}{chance.randint(1, 99)}",
        f"{last}.{first}",
    ]
    return chance.choice(forms)


def _plain(name: str) -> str:
    folded = name.lower().replace("ß", "ss").translate(str.maketrans("łøđı", "lodi"))
    return re.sub(r"[^a-z]", "", unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode())


def fill_digits(chance: Random, form: str) -> str:
    return "".join(str(chance.randint(0, 9)) if mark == "#" else mark for mark in form)


def _make_skills(chance: Random, language: str, field: str) -> list[str]:
    career = load("careers")[field]
    tools = chance.sample(career["tools"], min(len(career["tools"]), chance.randint(4, 10)))
    soft = chance.sample(career[language]["skills"], min(len(career[language]["skills"]), chance.randint(2, 5)))
    return tools + soft


def _make_summary(chance: Random, language: str, resume: dict[str, Any]) -> str:
    words = load("words")[language]
    first, second = chance.sample(resume["skills"], 2)
    sentence = chance.choice(words["summaries"]).format(
        label=resume["basics"]["label"],
        adjective=chance.choice(words["adjectives"]).capitalize(),
        n=chance.randint(3, 18),
        area=resume["education"][0]["area"],
        skill=first,
        skill2=second,
    )
    return str(sentence)


def _make_extras(chance: Random, language: str, field: str) -> dict[str, Any]:
    words, career = load("words")[language], load("careers")[field]
    spoken = [words["languages"][0], *chance.sample(words["languages"][1:], chance.randint(1, 3))]
    levels = [words["fluency"][0], *(chance.choice(words["fluency"][1:]) for _ in spoken[1:])]
    extras: dict[str, Any] = {"languages": [{"language": a, "fluency": b} for a, b in zip(spoken, levels, strict=True)]}
    if chance.random() < 0.5:
        amount = chance.randint(1, min(2, len(career["certificates"])))
        extras["certificates"] = [{"name": name} for name in chance.sample(career["certificates"], amount)]
    if chance.random() < 0.4:
        extras["projects"] = _make_projects(chance, language)
    if chance.random() < 0.5:
        extras["interests"] = [{"name": name} for name in chance.sample(words["interests"], chance.randint(2, 4))]
    if chance.random() < 0.3:
        extras["references"] = [{"reference": chance.choice(words["references"])}]
    return extras


def _make_projects(chance: Random, language: str) -> list[dict[str, str]]:
    words, firms = load("words")[language], load("employers")[language]
    made = []
    for noun in chance.sample(firms["first"], chance.randint(1, 2)):
        bullet = chance.choice([one for one in words["bullets"] if "{" not in one] or words["bullets"])
        filled = bullet.format_map(_Filler(chance))
        made.append({"name": f"{noun} {chance.choice(words['thing'])}", "description": filled})
    return made


class _Filler(dict[str, object]):
    """Answers any blank of a sentence that has no better value."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance

    def __missing__(self, key: str) -> object:
        return 2023 if key == "year" else self.chance.randint(3, 40)
