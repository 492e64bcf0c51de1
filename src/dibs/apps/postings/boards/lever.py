"""Lever: pages of a hundred, HTML in several pieces, pay in a field of its own."""

import re
from typing import Any
from urllib.parse import urlsplit

from dibs.apps.postings.boards.board import About, BoardRequest, Rows, Step
from dibs.apps.postings.boards.plain import PlainBoard, check_token, join_texts, make_pay, settle_pay
from dibs.apps.postings.model import Pay, Place, Posting, Workplace
from dibs.apps.postings.reading.dates import find_moment
from dibs.apps.postings.reading.employment import read_employment
from dibs.apps.postings.reading.fields import (
    find_line,
    find_list,
    find_record,
    find_records,
    find_text,
    find_url,
    first,
)
from dibs.apps.postings.reading.places import gather_places, read_workplace

_WORKPLACES = {
    "remote": Workplace.REMOTE,
    "hybrid": Workplace.HYBRID,
    "on-site": Workplace.ONSITE,
    "onsite": Workplace.ONSITE,
}
_EUROPE = "eu/"
_ID = re.compile(r"[A-Za-z0-9-]{1,100}")


class Lever(PlainBoard):
    """Boards at api.lever.co; a token `eu/acme` is one at api.eu.lever.co."""

    name = "lever"
    page_size = 100
    title_field = "text"

    def ask_page(self, token: str, step: Step) -> BoardRequest:
        """Ask for a hundred postings."""
        host = "api.eu.lever.co" if token.startswith(_EUROPE) else "api.lever.co"
        site = check_token(token.removeprefix(_EUROPE), self.name)
        return BoardRequest(
            url=f"https://{host}/v0/postings/{site}?mode=json&skip={step.offset}&limit={self.page_size}"
        )

    def find_rows(self, document: Any) -> Rows | None:
        """Find the list, or one posting. A refusal is an object with `ok: false`."""
        if isinstance(document, list):
            return Rows(rows=document)
        return Rows(rows=[document]) if isinstance(document, dict) and "text" in document and "id" in document else None

    def read_row(self, row: dict[str, Any], about: About) -> Posting | None:
        """Read one posting."""
        categories = find_record(row, "categories")
        places = _find_places(row, categories)
        text = _find_text(row)
        return Posting(
            external_id=self.identify(row) or "",
            title=self.find_title(row) or "",
            company=about.name_company(_find_site(find_url(row, "hostedUrl")) if about.company is None else None),
            places=places,
            workplace=_find_workplace(row, places),
            department=first([find_line(categories, "department"), find_line(categories, "team")]),
            employment_type=read_employment(find_line(categories, "commitment")),
            pay=settle_pay(_find_pay(row), text, places, join_texts(_name_pay(find_text(row, "salaryDescription")))),
            posted=find_moment(row, "createdAt"),
            updated=find_moment(row, "updatedAt"),
            url=find_url(row, "hostedUrl"),
            apply_url=first([find_url(row, "applyUrl"), find_url(row, "hostedUrl")]),
            text=text,
        )


def _find_places(row: dict[str, Any], categories: dict[str, Any]) -> tuple[Place, ...]:
    names = [
        find_line(categories, "location"),
        *(find_line({"v": one}, "v") for one in find_list(categories, "allLocations")),
    ]
    country = find_line(row, "country")
    kept = [Place(name=name) for name in names if name]
    if len(kept) == 1 and country:
        kept = [Place(name=kept[0].name, country=country)]
    return gather_places(kept)


def _find_workplace(row: dict[str, Any], places: tuple[Place, ...]) -> Workplace | None:
    stated = _WORKPLACES.get((find_line(row, "workplaceType") or "").lower())
    return stated or read_workplace(*(place.name for place in places))


def _find_text(row: dict[str, Any]) -> str:
    begin = find_text(row, "description") or "".join(find_text(row, name) for name in ("opening", "descriptionBody"))
    lists = [
        f"<h3>{find_text(one, 'text')}</h3><ul>{find_text(one, 'content')}</ul>" for one in find_records(row, "lists")
    ]
    text = join_texts(
        begin or find_text(row, "descriptionPlain"),
        *lists,
        find_text(row, "additional") or find_text(row, "additionalPlain"),
    )
    return text or join_texts(find_text(row, "descriptionBodyPlain"))


def _name_pay(said: str) -> str:
    return f"Salary: {said}" if said else ""


def _find_pay(row: dict[str, Any]) -> Pay | None:
    given = find_record(row, "salaryRange")
    return make_pay(given, ("min", "max"), find_line(given, "currency"), find_line(given, "interval"))


def _find_site(url: str | None) -> str | None:
    parts = urlsplit(url or "").path.split("/")
    return parts[1] if len(parts) > 2 and _ID.fullmatch(parts[1]) else None  # noqa: PLR2004 - site and id
