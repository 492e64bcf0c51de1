"""SmartRecruiters: pages of a hundred without text; the text in the detail."""

from typing import Any

from dibs.apps.postings.boards.board import About, BoardRequest, Rows, Step
from dibs.apps.postings.boards.plain import PlainBoard, check_token, is_plain_part, join_texts, settle_pay
from dibs.apps.postings.model import Place, Posting, Workplace
from dibs.apps.postings.reading.dates import find_moment
from dibs.apps.postings.reading.employment import read_employment
from dibs.apps.postings.reading.fields import (
    find_count,
    find_flag,
    find_line,
    find_record,
    find_records,
    find_text,
    find_url,
    first,
)
from dibs.apps.postings.reading.places import gather_places, make_place, read_workplace

_HOST = "https://api.smartrecruiters.com/v1/companies"
_SECTIONS = ("companyDescription", "jobDescription", "qualifications", "additionalInformation")


class SmartRecruiters(PlainBoard):
    """Boards at api.smartrecruiters.com. A company that does not exist has an empty listing."""

    name = "smartrecruiters"
    page_size = 100
    has_details = True
    title_field = "name"

    def ask_page(self, token: str, step: Step) -> BoardRequest:
        """Ask for a hundred postings."""
        where = f"{_HOST}/{check_token(token, self.name)}/postings"
        return BoardRequest(url=f"{where}?limit={self.page_size}&offset={step.offset}")

    def ask_detail(self, token: str, posting: Posting) -> BoardRequest | None:
        """Ask for the text; not by an id that would lead elsewhere."""
        if not is_plain_part(posting.external_id):
            return None
        return BoardRequest(url=f"{_HOST}/{check_token(token, self.name)}/postings/{posting.external_id}")

    def find_rows(self, document: Any) -> Rows | None:
        """Find the list, or one posting."""
        if not isinstance(document, dict):
            return None
        if isinstance(document.get("content"), list):
            return Rows(rows=document["content"], total=find_count(document, "totalFound"))
        return Rows(rows=[document]) if "name" in document and "id" in document else None

    def read_row(self, row: dict[str, Any], about: About) -> Posting | None:
        """Read one posting; one that is not active is passed over."""
        if find_flag(row, "active") is False:
            return None
        places = gather_places([_find_place(find_record(row, "location"))])
        text = _find_text(row)
        return Posting(
            external_id=self.identify(row) or "",
            title=self.find_title(row) or "",
            company=about.name_company(find_line(row, "company", "name"), find_line(row, "company", "identifier")),
            places=places,
            workplace=_find_workplace(row),
            department=first([find_line(row, "department", "label"), find_line(row, "function", "label")]),
            employment_type=read_employment(
                find_line(row, "typeOfEmployment", "label"),
                find_line(row, "typeOfEmployment", "id"),
                find_line(row, "typeOfEmployment"),
            ),
            pay=settle_pay(None, text, places, *_find_pay_words(row)),
            posted=find_moment(row, "releasedDate"),
            url=first([find_url(row, "postingUrl"), find_url(row, "ref")]),
            apply_url=first([find_url(row, "applyUrl"), find_url(row, "postingUrl"), _find_page(row, about)]),
            requisition_id=find_line(row, "refNumber"),
            language=find_line(row, "language", "code"),
            text=text,
        )


def _find_place(location: dict[str, Any]) -> Place | None:
    country = find_line(location, "country")
    name = find_line(location, "fullLocation")
    code = country.upper() if country and len(country) == 2 else country  # noqa: PLR2004 - codes of countries have two letters
    return make_place(find_line(location, "city"), find_line(location, "region"), code, name=name)


def _find_page(row: dict[str, Any], about: About) -> str | None:
    """Give the address that every posting has, where the list does not say it."""
    company, posting = find_line(row, "company", "identifier") or about.token, find_line(row, "id")
    is_plain = is_plain_part(company) and is_plain_part(posting)
    return f"https://jobs.smartrecruiters.com/{company}/{posting}" if is_plain else None


def _find_workplace(row: dict[str, Any]) -> Workplace | None:
    location = find_record(row, "location")
    if find_flag(location, "hybrid"):
        return Workplace.HYBRID
    is_remote = find_flag(location, "remote")
    if is_remote is None:
        return read_workplace(find_line(location, "fullLocation"))
    return Workplace.REMOTE if is_remote else Workplace.ONSITE


def _find_text(row: dict[str, Any]) -> str:
    sections = find_record(row, "jobAd", "sections")
    named = [find_record(sections, name) for name in _SECTIONS]
    return join_texts(
        *(f"<h3>{find_text(one, 'title')}</h3>{find_text(one, 'text')}" for one in named if find_text(one, "text"))
    )


def _find_pay_words(row: dict[str, Any]) -> list[str]:
    """Some employers keep the pay in a field that they made themselves."""
    said = []
    for one in find_records(row, "customField"):
        label, value = find_line(one, "fieldLabel") or "", find_line(one, "valueLabel")
        if value and any(word in label.lower() for word in ("salary", "pay", "compensation", "gehalt", "salaire")):
            said.append(f"{label}: {value}")
    return said
