"""What somebody did and where they learnt it: back through time from today, without overlaps."""

from random import Random
from typing import Any

from evals.resumes.people.lists import load

TODAY_MONTHS = 2026 * 12 + 10
"""November 2026, as a count of months: people are made for one day, so that nothing changes with the calendar."""


def as_month(months: int) -> str:
    return f"{months // 12:04d}-{months % 12 + 1:02d}"


def make_work(chance: Random, facts: dict[str, Any], field: str) -> list[dict[str, Any]]:
    titles = load("careers")[field][facts["language"]]["titles"]
    amount = chance.choice([1, 2, 2, 3, 3, 3, 4, 4, 5])
    end = TODAY_MONTHS if chance.random() < 0.7 else TODAY_MONTHS - chance.randint(1, 14)
    made = []
    level = len(titles) - 1 - chance.randint(0, max(0, len(titles) - amount))
    for index in range(amount):
        start = end - chance.randint(7, 62)
        post = _make_post(chance, facts, titles[max(0, level - index)])
        post["startDate"] = as_month(start)
        post["endDate"] = None if end == TODAY_MONTHS else as_month(end)
        made.append(post)
        end = start - chance.choice([0, 0, 1, 1, 2, 5])
    return made


def _make_post(chance: Random, facts: dict[str, Any], title: str) -> dict[str, Any]:
    city = chance.choice(facts["cities"])
    return {
        "position": title,
        "name": make_employer(chance, facts, city),
        "location": city,
        "highlights": _make_highlights(chance, facts),
    }


def make_employer(chance: Random, facts: dict[str, Any], city: str) -> str:
    halves = load("employers")[facts["language"]]
    if chance.random() < 0.25:
        bare = city.partition(",")[0].partition(" (")[0]
        return str(chance.choice(halves["institutions"]).format(city=bare))
    stem = chance.choice(halves["first"]) + chance.choice(["", chance.choice(halves["second"])])
    trade = chance.choice(["", chance.choice(halves["trades"])]) if len(stem) > 6 else chance.choice(halves["trades"])
    suffix = chance.choice(facts["suffixes"])
    if suffix in {"Groupe", "Grupo"}:
        return " ".join(part for part in (suffix, stem, trade) if part)
    return " ".join(part for part in (stem, trade, suffix) if part)


def _make_highlights(chance: Random, facts: dict[str, Any]) -> list[str]:
    words = load("words")[facts["language"]]
    return [_fill(chance, facts, one) for one in chance.sample(words["bullets"], chance.choice([0, 2, 2, 3, 3, 4]))]


def _fill(chance: Random, facts: dict[str, Any], sentence: str) -> str:
    skills = [skill for one in load("careers").values() for skill in one[facts["language"]]["skills"]]
    first, second = chance.sample(skills, 2)
    numbers = {"n": chance.randint(8, 45), "n2": chance.randint(80, 97), "k": chance.randint(3, 15)}
    city = chance.choice(facts["cities"]).split(",")[0]
    return sentence.format(skill=first, skill2=second, city=city, year=chance.randint(2018, 2025), **numbers)


def make_education(chance: Random, facts: dict[str, Any], field: str) -> list[dict[str, Any]]:
    language = facts["language"]
    career, words = load("careers")[field][language], load("words")[language]
    amount = chance.choice([1, 1, 2, 2, 3])
    schools = chance.sample(facts["schools"], min(amount, len(facts["schools"])))
    degrees = chance.sample(words["degrees"], len(schools))
    end = (2026 - chance.randint(3, 22)) * 12 + chance.choice([5, 6, 8])
    made = []
    for school, degree in zip(schools, degrees, strict=True):
        start = end - chance.choice([24, 36, 36, 48]) + chance.choice([0, 2, 3])
        area = chance.choice(career["areas"])
        made.append(
            {
                "institution": school,
                "studyType": degree,
                "area": area,
                "startDate": as_month(start),
                "endDate": as_month(end),
            }
        )
        end = start - chance.choice([0, 2, 12])
    return made
