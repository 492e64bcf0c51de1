"""How one page words its headings, dates and degrees: chosen once a page, so that a page is of one piece."""

from random import Random
from typing import Any

from msgspec import Struct

from evals.resumes.people.lists import load


class Wording(Struct, frozen=True):
    words: dict[str, Any]
    form: str
    dash: str
    present: str
    since: str
    join: str
    case: str
    picks: dict[str, str]

    def heading(self, key: str) -> str:
        return self.in_case(self.picks[key])

    def in_case(self, text: str) -> str:
        return {"upper": text.upper(), "lower": text.lower()}.get(self.case, text)

    def degree(self, study_type: str, area: str) -> str:
        return f"{study_type}{self.join}{area}"

    def cut(self, date: str | None) -> str | None:
        return date[:4] if date and self.form == "year" else date

    def date(self, date: str) -> str:
        year, _, month = date.partition("-")
        if not month:
            return year
        number = int(month)
        forms = {
            "short": f"{self.words['short'][number - 1]} {year}",
            "long": f"{self.words['months'][number - 1]} {year}",
            "slash": f"{month}/{year}",
            "dot": f"{month}.{year}",
            "iso": f"{year}-{month}",
        }
        return forms[self.form]

    def span(self, start: str, end: str | None) -> str:
        if end:
            return f"{self.date(start)}{self.dash}{self.date(end)}"
        if self.since:
            return self.since.format(start=self.date(start))
        return f"{self.date(start)}{self.dash}{self.present}"


def choose_wording(chance: Random, language: str, forms: tuple[str, ...], cases: tuple[str, ...]) -> Wording:
    words = load("words")[language]
    worded = {"en": " to ", "de": " bis ", "fr": " à ", "es": " a "}[language]
    return Wording(
        words=words,
        form=chance.choice(forms),
        dash=chance.choice([" – ", " - ", "–", " — ", " – ", worded]),
        present=chance.choice(words["present"]),
        since=chance.choice(words["since"]) if chance.random() < 0.12 else "",
        join=chance.choice(words["joins"]),
        case=chance.choice(cases),
        picks={key: chance.choice(choices) for key, choices in words["headings"].items()},
    )
