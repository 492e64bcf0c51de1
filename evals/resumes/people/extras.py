"""What fuller resumes hold besides work and school: half of the people have some of it.

Drawn apart from the rest, so that everything else about a person stays as it was.
"""

from random import Random
from typing import Any

from evals.resumes.people.lists import load

RICH_SHARE = 0.5


def add_extras(seed: str, resume: dict[str, Any], language: str) -> dict[str, Any]:
    chance = Random(f"{seed}/more")
    if chance.random() >= RICH_SHARE:
        return resume
    words = load("more")[language]
    richer = {**resume, "work": [_add_summary(chance, words, post) for post in resume["work"]]}
    richer["education"] = [_add_score(chance, words, school) for school in resume["education"]]
    if chance.random() < 0.6:
        richer["volunteer"] = _make_volunteer(chance, words)
    if chance.random() < 0.5:
        richer["awards"] = [
            _date(chance, {"title": a, "awarder": b}, "date") for a, b in _some(chance, words["awards"])
        ]
    if chance.random() < 0.3:
        pairs = _some(chance, words["publications"])
        richer["publications"] = [_date(chance, {"name": a, "publisher": b}, "releaseDate") for a, b in pairs]
    if "certificates" in resume:
        issued = ({**one, "issuer": chance.choice(words["issuers"])} for one in resume["certificates"])
        richer["certificates"] = [_date(chance, one, "date") for one in issued]
    if words["birth"] and chance.random() < 0.6:
        richer["basics"] = {**resume["basics"], "born": _make_birth(chance, words)}
    return richer


def _some(chance: Random, pairs: list[list[str]]) -> list[list[str]]:
    return chance.sample(pairs, chance.randint(1, min(2, len(pairs))))


def _date(chance: Random, entry: dict[str, str], key: str) -> dict[str, str]:
    return {**entry, key: str(chance.randint(2010, 2025))}


def _add_summary(chance: Random, words: dict[str, Any], post: dict[str, Any]) -> dict[str, Any]:
    return {**post, "summary": chance.choice(words["summaries"])} if chance.random() < 0.5 else post


def _add_score(chance: Random, words: dict[str, Any], school: dict[str, Any]) -> dict[str, Any]:
    richer = dict(school)
    if chance.random() < 0.5:
        richer["score"] = chance.choice(words["scores"]).format(n=chance.randint(1, 9))
    if chance.random() < 0.4:
        richer["courses"] = chance.sample(words["courses"], 3)
    return richer


def _make_volunteer(chance: Random, words: dict[str, Any]) -> list[dict[str, Any]]:
    made = []
    for position, organization in _some(chance, words["volunteer"]):
        start = chance.randint(2010, 2022)
        years = {"startDate": str(start), "endDate": str(start + chance.randint(1, 3))}
        made.append({"position": position, "organization": organization, **years})
    return made


def _make_birth(chance: Random, words: dict[str, Any]) -> list[list[str]]:
    """Label and text of what some countries still put at the head of a resume."""
    day = f"{chance.randint(1, 28):02d}.{chance.randint(1, 12):02d}.{chance.randint(1965, 2000)}"
    return [[words["birth"], day], words["nationality"]]
