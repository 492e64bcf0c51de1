"""Greenhouse: everything at once, HTML escaped once; pay and the form's questions in the detail."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from dibs.apps.postings.boards.board import About, BoardRequest, Rows, Step
from dibs.apps.postings.boards.plain import PlainBoard, check_token, is_plain_part, join_texts, range_of, settle_pay
from dibs.apps.postings.model import Pay, Period, Place, Posting, Question, Workplace
from dibs.apps.postings.reading.currencies import name_currency
from dibs.apps.postings.reading.dates import find_moment
from dibs.apps.postings.reading.employment import read_employment
from dibs.apps.postings.reading.fields import (
    find_count,
    find_flag,
    find_line,
    find_list,
    find_number,
    find_records,
    find_text,
    find_url,
    first,
    tidy_number,
)
from dibs.apps.postings.reading.periods import find_period
from dibs.apps.postings.reading.places import gather_places, read_workplace, split_places

_YES = "yes"
_HOST = "https://boards-api.greenhouse.io/v1/boards"


class Greenhouse(PlainBoard):
    """Boards at boards-api.greenhouse.io."""

    name = "greenhouse"
    has_details = True

    def ask_page(self, token: str, step: Step) -> BoardRequest:  # noqa: ARG002 - there is one page only
        """Ask for all postings with their text."""
        return BoardRequest(url=f"{_HOST}/{check_token(token, self.name)}/jobs?content=true")

    def ask_detail(self, token: str, posting: Posting) -> BoardRequest | None:
        """Ask for pay and questions; not by an id that would lead elsewhere."""
        if not is_plain_part(posting.external_id):
            return None
        where = f"{_HOST}/{check_token(token, self.name)}/jobs/{posting.external_id}"
        return BoardRequest(url=f"{where}?questions=true&pay_transparency=true")

    def find_rows(self, document: Any) -> Rows | None:
        """Find the list, or one posting."""
        if not isinstance(document, dict):
            return None
        if isinstance(document.get("jobs"), list):
            return Rows(rows=document["jobs"], total=find_count(document, "meta", "total"))
        return Rows(rows=[document]) if "title" in document else None

    def read_row(self, row: dict[str, Any], about: About) -> Posting | None:
        """Read one posting."""
        facts = dict(_find_facts(row))
        places = split_places(_find_location(row)) or gather_places(_find_offices(row))
        text = join_texts(find_text(row, "content"))
        return Posting(
            external_id=self.identify(row) or "",
            title=self.find_title(row) or "",
            company=about.name_company(find_line(row, "company_name")),
            places=places,
            workplace=_find_workplace(row, facts),
            department=first(_find_department(one) for one in find_records(row, "departments")),
            employment_type=read_employment(
                *(said for name, said in facts.items() if "employ" in name or "time type" in name)
            ),
            pay=settle_pay(_find_pay(row), text, places, *_find_pay_words(facts)),
            posted=find_moment(row, "first_published"),
            updated=find_moment(row, "updated_at"),
            deadline=find_moment(row, "application_deadline"),
            url=find_url(row, "absolute_url"),
            apply_url=find_url(row, "absolute_url"),
            requisition_id=find_line(row, "requisition_id"),
            language=find_line(row, "language"),
            text=text,
            questions=tuple(_find_questions(row)),
        )


def _find_location(row: dict[str, Any]) -> str | None:
    return first([find_line(row, "location", "name"), find_line(row, "location")])


def _find_department(one: dict[str, Any]) -> str | None:
    """Name a department; Greenhouse calls none "No Department"."""
    name = find_line(one, "name")
    return None if name == "No Department" else name


def _find_facts(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give the fields that the employer added, by their names in small letters."""
    for one in find_records(row, "metadata"):
        name, value = find_line(one, "name"), one.get("value")
        said = ", ".join(
            filter(None, (find_line({"v": item}, "v") for item in (value if isinstance(value, list) else [value])))
        )
        if isinstance(value, (dict, bool)):
            said = _show_money(value) if isinstance(value, dict) else _YES if value else "no"
        if name and said:
            yield name.lower(), said


def _show_money(value: dict[str, Any]) -> str:
    unit = find_line(value, "unit") or ""
    ends = [find_line(value, key) for key in ("min_value", "max_value", "amount")]
    return " - ".join(f"{unit} {end}" for end in ends if end)


def _find_pay_words(facts: dict[str, str]) -> list[str]:
    return [f"{name}: {said}" for name, said in facts.items() if _is_pay(name)]


def _is_pay(name: str) -> bool:
    return any(word in name for word in ("salary", "pay", "compensation", "gehalt"))


def _find_offices(row: dict[str, Any]) -> Iterator[Place]:
    for office in find_records(row, "offices"):
        yield from split_places(
            first([find_line(office, "location"), find_line(office, "location", "name"), find_line(office, "name")])
        )


def _find_workplace(row: dict[str, Any], facts: dict[str, str]) -> Workplace | None:
    stated = [
        said for name, said in facts.items() if "location type" in name or "workplace" in name or "remote" in name
    ]
    if any("remote" in name and said == _YES for name, said in facts.items()):
        return Workplace.REMOTE
    offices = [find_line(office, "name") for office in find_records(row, "offices")]
    return read_workplace(*stated) or read_workplace(_find_location(row)) or read_workplace(*offices)


def _find_pay(row: dict[str, Any]) -> Pay | None:
    ranges = list(find_records(row, "pay_input_ranges"))
    currency = first(name_currency(find_line(one, "currency_type")) for one in ranges)
    same = [one for one in ranges if name_currency(find_line(one, "currency_type")) == currency]
    lows = [cents for one in same if (cents := find_number(one, "min_cents"))]
    highs = [cents for one in same if (cents := find_number(one, "max_cents"))]
    ends = range_of(_whole(min(lows, default=None)), _whole(max(highs, default=None)))
    if ends is None:
        return None
    said = " ".join(filter(None, (find_line(same[0], "title"), find_line(same[0], "blurb"))))
    return Pay(
        min=ends[0],
        max=ends[1],
        currency=currency,
        period=find_period(said, "") or _guess_period(ends),
        is_structured=True,
    )


def _guess_period(ends: tuple[Decimal | None, Decimal | None]) -> Period | None:
    amount = ends[0] or ends[1] or Decimal(0)
    return Period.YEAR if amount >= 10_000 else Period.HOUR if amount < 1_000 else None  # noqa: PLR2004 - pay by the year or the hour


def _whole(cents: Decimal | None) -> Decimal | None:
    return None if cents is None else tidy_number(cents / 100)


def _find_questions(row: dict[str, Any]) -> Iterator[Question]:
    asked = [*find_records(row, "questions"), *find_records(row, "location_questions")]
    asked += find_records(row, "demographic_questions", "questions")
    asked += [one for part in find_records(row, "compliance") for one in find_records(part, "questions")]
    for one in asked:
        fields = list(find_records(one, "fields")) or [one]
        label = find_line(one, "label")
        if label:
            yield Question(
                label=label,
                name=find_line(fields[0], "name") or find_line(one, "id"),
                kind=find_line(fields[0], "type"),
                required=find_flag(one, "required") or False,
                options=_find_options(fields[0]),
            )


def _find_options(asked: dict[str, Any]) -> tuple[str, ...]:
    listed = find_list(asked, "values") or find_list(asked, "answer_options")
    return tuple(label for one in listed if (label := find_line(one, "label")))
