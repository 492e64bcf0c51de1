"""Ashby: everything at once; pay in the parts of the compensation's summary."""

from typing import Any
from urllib.parse import unquote, urlsplit

from dibs.apps.postings.boards.board import About, BoardRequest, Rows, Step
from dibs.apps.postings.boards.plain import PlainBoard, check_token, join_texts, make_pay, settle_pay
from dibs.apps.postings.model import Pay, Place, Posting, Workplace
from dibs.apps.postings.reading.dates import find_moment
from dibs.apps.postings.reading.employment import read_employment
from dibs.apps.postings.reading.fields import (
    clean_line,
    find_flag,
    find_line,
    find_record,
    find_records,
    find_text,
    find_url,
    first,
)
from dibs.apps.postings.reading.places import gather_places, make_place, read_workplace

_SALARIES = ("salary", "basesalary", "hourly")
_WORKPLACES = {"remote": Workplace.REMOTE, "hybrid": Workplace.HYBRID, "onsite": Workplace.ONSITE}


class Ashby(PlainBoard):
    """Boards at api.ashbyhq.com. Their names are case-sensitive."""

    name = "ashby"

    def ask_page(self, token: str, step: Step) -> BoardRequest:  # noqa: ARG002 - there is one page only
        """Ask for all postings with their pay."""
        where = f"https://api.ashbyhq.com/posting-api/job-board/{check_token(token, self.name)}"
        return BoardRequest(url=f"{where}?includeCompensation=true")

    def find_rows(self, document: Any) -> Rows | None:
        """Find the list, or one posting."""
        if not isinstance(document, dict):
            return None
        if isinstance(document.get("jobs"), list):
            return Rows(rows=document["jobs"])
        return Rows(rows=[document]) if "title" in document else None

    def read_row(self, row: dict[str, Any], about: About) -> Posting | None:
        """Read one posting; one that is not listed is passed over."""
        if find_flag(row, "isListed") is False:
            return None
        places = gather_places(
            [_find_place(row), *(_find_place(one) for one in find_records(row, "secondaryLocations"))]
        )
        text = join_texts(find_text(row, "descriptionHtml") or find_text(row, "descriptionPlain"))
        summary = [
            find_text(row, "compensation", name)
            for name in ("compensationTierSummary", "scrapeableCompensationSalarySummary")
        ]
        return Posting(
            external_id=self.identify(row) or "",
            title=self.find_title(row) or "",
            company=about.name_company(_find_board(find_url(row, "jobUrl")) if about.company is None else None),
            places=places,
            workplace=_find_workplace(row, places),
            department=first([find_line(row, "department"), find_line(row, "team")]),
            employment_type=read_employment(find_line(row, "employmentType")),
            pay=settle_pay(_find_pay(row), text, places, *(f"Salary: {said}" for said in summary if said)),
            posted=find_moment(row, "publishedAt") or find_moment(row, "publishedDate"),
            updated=find_moment(row, "updatedAt"),
            url=find_url(row, "jobUrl"),
            apply_url=first([find_url(row, "applyUrl"), find_url(row, "jobUrl")]),
            text=text,
        )


def _find_place(row: dict[str, Any]) -> Place | None:
    address = find_record(row, "address", "postalAddress") or find_record(row, "address")
    return make_place(
        find_line(address, "addressLocality"),
        find_line(address, "addressRegion"),
        find_line(address, "addressCountry"),
        name=find_line(row, "location"),
    )


def _find_workplace(row: dict[str, Any], places: tuple[Place, ...]) -> Workplace | None:
    stated = _WORKPLACES.get((find_line(row, "workplaceType") or "").lower())
    if stated is not None:
        return stated
    is_remote = find_flag(row, "isRemote")
    if is_remote:
        return Workplace.REMOTE
    return read_workplace(*(place.name for place in places)) or (
        Workplace.ONSITE if is_remote is False and places else None
    )


def _find_pay(row: dict[str, Any]) -> Pay | None:
    compensation = find_record(row, "compensation")
    parts = list(find_records(compensation, "summaryComponents"))
    parts += [
        part for tier in find_records(compensation, "compensationTiers") for part in find_records(tier, "components")
    ]
    for part in parts:
        said = find_line(part, "currencyCode"), find_line(part, "interval")
        pay = make_pay(part, ("minValue", "maxValue"), *said)
        if pay is not None and (find_line(part, "compensationType") or "").lower() in _SALARIES:
            return pay
    return None


def _find_board(url: str | None) -> str | None:
    parts = urlsplit(url or "").path.split("/")
    return clean_line(unquote(parts[1])) or None if len(parts) > 2 else None  # noqa: PLR2004 - board and id
