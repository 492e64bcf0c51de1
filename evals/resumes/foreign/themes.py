"""JSON Resume themes from npm: layouts that other people made, installed on demand and never kept in the tree."""

import json
import re
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

from evals.resumes.foreign.npm import fetch
from evals.resumes.scoring.likeness import fold

PREFIX = "jsonresume-theme-"
LAYOUTS = {
    "actual": "columns",
    "autumn": "sidebar",
    "boilerplate": "single",
    "caffeine": "sidebar",
    "class": "single",
    "classy": "single",
    "colophon": "single",
    "compact": "single",
    "contempo": "single",
    "creative-confidence": "sidebar",
    "dave": "sidebar",
    "dev-ats": "single",
    "direct": "single",
    "elegant": "boxed",
    "eloquent": "columns",
    "even": "rail",
    "flat": "single",
    "folio": "single",
    "full": "single",
    "jacrys": "boxed",
    "keloran": "boxed",
    "kendall": "boxed",
    "kendall-projects-first": "columns",
    "latte": "sidebar",
    "lucide": "sidebar",
    "macchiato": "sidebar",
    "macchiato-ibic": "sidebar",
    "mantra": "single",
    "minyma": "single",
    "modern": "single",
    "moon": "boxed",
    "msresume": "single",
    "onepage": "rail",
    "onepage-fr": "rail",
    "onepage-plus": "rail",
    "onepage-simplified": "rail",
    "orbit": "sidebar",
    "paper": "rail",
    "paper-plus-plus": "rail",
    "papirus": "sidebar",
    "projects": "rail",
    "pumpkin": "single",
    "relaxed": "single",
    "riga": "rail",
    "rocketspacer": "rail",
    "sceptile": "single",
    "short": "single",
    "simple": "columns",
    "simple-red": "rail",
    "simplistic": "rail",
    "simplyelegant": "boxed",
    "slick": "single",
    "spartacus": "sidebar",
    "spartan": "single",
    "srt": "single",
    "stackoverflow": "single",
    "standard-resume": "single",
    "straightforward": "single",
    "student": "single",
    "tech": "single",
    "techlead": "single",
    "wraypro": "rail",
}
ASIDE = {
    "actual",
    "caffeine",
    "class",
    "colophon",
    "dave",
    "elegant",
    "folio",
    "full",
    "keloran",
    "kendall-projects-first",
    "latte",
    "mantra",
    "onepage-fr",
    "onepage-simplified",
    "orbit",
    "paper",
    "projects",
    "rocketspacer",
    "short",
    "srt",
    "stackoverflow",
    "straightforward",
    "student",
    "wraypro",
}
"""Nobody looks at what goes wrong on these: they say how the next unknown layout will do."""
DEMANDING = {"dave", "orbit", "relaxed", "rocketspacer"}
NEAR = 160
"""Letters between an entry's own parts, at most."""
SCRIPT = Path(__file__).with_name("render.mjs")


def install(names: list[str], folder: Path) -> list[str]:
    """Fetch what is missing; the names of the themes that are there afterwards."""
    fetch([f"{PREFIX}{name}" for name in names if not _is_there(name, folder)], folder)
    return [name for name in names if _is_there(name, folder)]


def _is_there(name: str, folder: Path) -> bool:
    return (folder / "node_modules" / f"{PREFIX}{name}").exists()


def render(name: str, resumes: list[tuple[Path, Path]], folder: Path) -> None:
    """Write the page of each resume: pairs of where the JSON is and where the page goes."""
    files = [str(path.resolve()) for pair in resumes for path in pair]
    command = ["node", str(SCRIPT), f"{PREFIX}{name}", str(folder.resolve()), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise RuntimeError(f"the theme {name} failed: {done.stderr.strip()[-300:]}")


def fill(dressed: dict[str, Any]) -> dict[str, Any]:
    """Some themes end with an error where a key is missing that they do not need."""
    for section in ("work", "volunteer", "education"):
        dressed[section] = [{"endDate": "", "highlights": [], **one} for one in dressed.get(section, [])]
    dressed["skills"] = [{"level": "Advanced", **one} for one in dressed["skills"]]
    dressed["interests"] = [{"keywords": [], **one} for one in dressed.get("interests", [])]
    return {"references": [], "awards": [], "publications": [], "languages": [], **dressed}


def dress(resume: dict[str, Any], number: int) -> dict[str, Any]:
    """A person as themes expect one: full dates, grouped skills, older versions' names beside the newer ones."""
    skills = resume["skills"]
    grouped = [
        {"name": "Tools", "keywords": skills[: len(skills) // 2]},
        {"name": "Methods", "keywords": skills[len(skills) // 2 :]},
    ]
    flat = [{"name": skill, "keywords": []} for skill in skills]
    place = resume["basics"]["location"]
    city, _, region = place["city"].partition(", ")
    location = {"address": place["address"], "city": city, "region": region, "countryCode": place["countryCode"]}
    known = {key: value for key, value in resume["basics"].items() if key != "born"}
    basics = {**known, "location": location, "website": resume["basics"].get("url", "")}
    dressed = {**resume, "basics": basics, "skills": flat if number % 4 == 3 else grouped}
    dressed["work"] = [
        _date(post) | {"company": post["name"], "website": "", "summary": post.get("summary", "")}
        for post in resume["work"]
    ]
    dressed["education"] = [_date(school) | {"courses": school.get("courses", [])} for school in resume["education"]]
    for key, name in (("awards", "date"), ("publications", "releaseDate"), ("certificates", "date")):
        if key in resume:
            dressed[key] = [{**one, name: f"{one[name]}-06-01"} if name in one else one for one in resume[key]]
    if "volunteer" in resume:
        dressed["volunteer"] = [
            _date(one, day="-03-01") | {"summary": "", "highlights": []} for one in resume["volunteer"]
        ]
    return dressed


def _date(entry: dict[str, Any], *, day: str = "-01") -> dict[str, Any]:
    dates = {key: f"{entry[key]}{day}" for key in ("startDate", "endDate") if entry[key]}
    return {key: value for key, value in entry.items() if key != "endDate"} | dates


def cut_truth(resume: dict[str, Any], page: str, text: str) -> dict[str, Any]:
    """Themes leave out what they like: only what the page says is expected of it."""
    seen, page = f" {fold(text)} ", unescape(page)
    whole = {fold(piece) for piece in re.split(r"<[^>]*>", page)}
    glued = seen.replace(" ", "")

    def is_shown(value: str) -> bool:
        """Chips that stand side by side are one word in the text of a browser: there, the markup parts them."""
        told = fold(value)
        return f" {told} " in seen or (told in whole and told.replace(" ", "") in glued)

    basics = {key: value for key, value in resume["basics"].items() if not isinstance(value, str) or is_shown(value)}
    basics["profiles"] = [one for one in basics["profiles"] if one["url"].removeprefix("https://") in page]
    if (url := resume["basics"].get("url")) and url.removeprefix("https://") in page:
        basics["url"] = url
    if not _is_near(basics["location"]["city"], (resume["basics"]["email"], resume["basics"]["phone"]), seen):
        basics["location"] = {"countryCode": basics["location"]["countryCode"]}
    cut: dict[str, Any] = {"basics": basics}
    for key in ("work", "education", "languages", "certificates", "projects", "volunteer", "awards", "publications"):
        cut[key] = [_cut_entry(entry, is_shown) for entry in resume.get(key, [])]
    for post in cut["work"]:
        if not _is_near(post.get("location", ""), (post.get("name", ""),), seen):
            post.pop("location", None)
    cut["skills"] = [
        {"name": skill} for one in resume["skills"] for skill in (one["keywords"] or [one["name"]]) if is_shown(skill)
    ]
    return json.loads(json.dumps(cut))  # type: ignore[no-any-return]


def _is_near(value: str, anchors: tuple[str, ...], seen: str) -> bool:
    """Whether a value stands close to one of its neighbours: a city may be named anywhere."""
    places = [seen.find(fold(anchor)) for anchor in anchors if anchor]
    return any(at >= 0 and fold(value) in seen[max(0, at - NEAR) : at + NEAR] for at in places) and bool(value)


def _cut_entry(entry: dict[str, Any], is_shown: Any) -> dict[str, Any]:
    kept = {
        key: value
        for key, value in entry.items()
        if isinstance(value, str) and not key.endswith("Date") and is_shown(value)
    }
    return kept | {
        key: entry[key] for key in ("startDate", "endDate") if entry.get(key) and is_shown_year(entry[key], is_shown)
    }


def is_shown_year(date: str, is_shown: Any) -> bool:
    return bool(is_shown(date[:4]) or is_shown(date))
