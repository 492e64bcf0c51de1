"""One profile beside its truth: what was found, what was missed, what was made up, and how sure each was."""

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct, field
from rapidfuzz.fuzz import ratio
from scipy.optimize import linear_sum_assignment

from evals.resumes.scoring import likeness
from evals.resumes.scoring.likeness import fold, is_same_text

LIKE_ENOUGH = 0.6
Same = Callable[[str, str], bool]


class Judged(Struct, frozen=True):
    """A value that the profile gives."""

    field: str
    value: str
    confidence: float
    correct: bool
    expected: str = ""
    path: str = ""


class Missed(Struct, frozen=True):
    field: str
    value: str


class Verdict(Struct):
    given: list[Judged] = field(default_factory=list)
    missed: list[Missed] = field(default_factory=list)

    def judge(self, name: str, given: "Given | None", true: str | None, same: Same) -> None:
        """One value beside one truth. A wrong value costs twice: made up and missed."""
        if given:
            correct = true is not None and same(given.value, true)
            self.given.append(Judged(name, given.value, given.confidence, correct, true or "", given.path))
        if true is not None and not (given and self.given[-1].correct):
            self.missed.append(Missed(name, true))

    def judge_all(self, name: str, given: list["Given"], true: list[str], same: Same) -> None:
        """Values without an order: each truth may be used once."""
        left = list(true)
        for one in given:
            match = next((value for value in left if same(one.value, value)), None)
            if match is not None:
                left.remove(match)
            self.given.append(Judged(name, one.value, one.confidence, match is not None, match or "", one.path))
        self.missed += [Missed(name, value) for value in left]


class Given(Struct, frozen=True):
    value: str
    confidence: float
    path: str


class Reader:
    """Looks values up in a profile's JSON together with their confidence."""

    def __init__(self, profile: dict[str, Any]) -> None:
        self.profile = profile
        self._told = profile.get("meta", {}).get("fields", {})

    def find(self, value: Any, path: str) -> Given | None:
        if not isinstance(value, str) or not value.strip():
            return None
        return Given(value, float(self._told.get(path, {}).get("confidence", 0.5)), path)


def judge_profile(profile: dict[str, Any], truth: dict[str, Any], *, lenient_dates: bool = False) -> Verdict:
    verdict, reader = Verdict(), Reader(profile)
    _judge_basics(verdict, reader, truth["basics"])
    _judge_work(verdict, reader, truth.get("work", []), lenient_dates)
    _judge_education(verdict, reader, truth.get("education", []), lenient_dates)
    verdict.judge_all("skill", _list_skills(reader), _true_skills(truth), _is_same_skill)
    for name, key, part in (
        ("language", "languages", "language"),
        ("certificate", "certificates", "name"),
        ("project", "projects", "name"),
    ):
        true = [one[part] for one in truth.get(key, []) if one.get(part)]
        verdict.judge_all(name, _list_part(reader, key, part), true, is_same_text)
    return verdict


def _judge_basics(verdict: Verdict, reader: Reader, truth: dict[str, Any]) -> None:
    basics = reader.profile.get("basics", {})
    region = truth.get("location", {}).get("countryCode", "US")

    def is_same_phone(given: str, true: str) -> bool:
        return likeness.is_same_phone(given, true, region)

    sames: dict[str, Same] = {
        "name": is_same_text,
        "email": likeness.is_same_email,
        "phone": is_same_phone,
        "label": is_same_text,
    }
    for key, same in sames.items():
        verdict.judge(key, reader.find(basics.get(key), f"basics.{key}"), truth.get(key), same)
    city = reader.find((basics.get("location") or {}).get("city"), "basics.location.city")
    verdict.judge("location", city, truth.get("location", {}).get("city"), likeness.is_same_place)
    links = [
        reader.find(one.get("url"), f"basics.profiles[{index}].url")
        for index, one in enumerate(basics.get("profiles", []))
    ]
    links.append(reader.find(basics.get("url"), "basics.url"))
    true = [one["url"] for one in truth.get("profiles", []) if one.get("url")] + (
        [truth["url"]] if truth.get("url") else []
    )
    verdict.judge_all("link", [one for one in links if one], true, likeness.is_same_link)


def _judge_work(verdict: Verdict, reader: Reader, truth: list[dict[str, Any]], lenient: bool) -> None:
    given = reader.profile.get("work", [])
    for mine, index, true in _align(given, truth, ("name", "position")):
        path = f"work[{index}]"
        verdict.judge("organisation", reader.find(mine.get("name"), f"{path}.name"), true.get("name"), is_same_text)
        verdict.judge(
            "title", reader.find(mine.get("position"), f"{path}.position"), true.get("position"), is_same_text
        )
        verdict.judge(
            "place", reader.find(mine.get("location"), f"{path}.location"), true.get("location"), likeness.is_same_place
        )
        _judge_dates(verdict, reader, mine, path, true, lenient)


def _judge_education(verdict: Verdict, reader: Reader, truth: list[dict[str, Any]], lenient: bool) -> None:
    given = reader.profile.get("education", [])
    for mine, index, true in _align(given, truth, ("institution", "studyType", "area")):
        path = f"education[{index}]"
        verdict.judge(
            "institution",
            reader.find(mine.get("institution"), f"{path}.institution"),
            true.get("institution"),
            is_same_text,
        )

        def is_same_degree(given: str, wanted: str, area: str = true.get("area") or "") -> bool:
            return likeness.is_same_degree(given, wanted, area)

        verdict.judge(
            "degree", reader.find(mine.get("studyType"), f"{path}.studyType"), true.get("studyType"), is_same_degree
        )
        verdict.judge("area", reader.find(mine.get("area"), f"{path}.area"), true.get("area"), is_same_text)
        _judge_dates(verdict, reader, mine, path, true, lenient)


def _judge_dates(
    verdict: Verdict, reader: Reader, mine: dict[str, Any], path: str, true: dict[str, Any], lenient: bool
) -> None:
    """An open end is said by giving none; giving one there is an invention like any other."""
    for key in ("startDate", "endDate"):
        verdict.judge(
            "date",
            reader.find(mine.get(key), f"{path}.{key}"),
            true.get(key),
            lambda given, wanted: likeness.is_same_date(given, wanted, lenient=lenient),
        )


def _align(
    given: list[dict[str, Any]], truth: list[dict[str, Any]], keys: tuple[str, ...]
) -> list[tuple[dict[str, Any], int, dict[str, Any]]]:
    """Pairs by the best assignment as a whole; what has no partner stands beside an empty entry."""
    likes = np.array([[_likeness(mine, true, keys) for true in truth] for mine in given]).reshape(
        len(given), len(truth)
    )
    rows, columns = linear_sum_assignment(-likes)
    paired = {
        int(row): int(column) for row, column in zip(rows, columns, strict=True) if likes[row, column] >= LIKE_ENOUGH
    }
    pairs = [(mine, index, truth[paired[index]] if index in paired else {}) for index, mine in enumerate(given)]
    return pairs + [({}, -1, true) for index, true in enumerate(truth) if index not in paired.values()]


def _likeness(mine: dict[str, Any], true: dict[str, Any], keys: tuple[str, ...]) -> float:
    text = sum(
        ratio(fold(str(mine.get(key) or "")), fold(str(true.get(key) or ""))) / 100 for key in keys if mine.get(key)
    )
    dates = sum(
        0.5 for key in ("startDate", "endDate") if mine.get(key) and str(mine[key])[:4] == str(true.get(key) or "")[:4]
    )
    return text + dates


def _true_skills(truth: dict[str, Any]) -> list[str]:
    return [skill for one in truth.get("skills", []) for skill in (one.get("keywords") or [one["name"]])]


def _list_skills(reader: Reader) -> list[Given]:
    listed = []
    for index, one in enumerate(reader.profile.get("skills", [])):
        words = [(word, f"skills[{index}].keywords[{at}]") for at, word in enumerate(one.get("keywords") or [])]
        listed += [reader.find(*pair) for pair in words or [(one.get("name"), f"skills[{index}].name")]]
    return [one for one in listed if one]


def _is_same_skill(given: str, true: str) -> bool:
    return fold(given) == fold(true) or is_same_text(given, true)


def _list_part(reader: Reader, key: str, part: str) -> list[Given]:
    found = (
        reader.find(one.get(part), f"{key}[{index}].{part}") for index, one in enumerate(reader.profile.get(key, []))
    )
    return [one for one in found if one]
