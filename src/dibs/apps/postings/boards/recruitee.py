"""Recruitee: everything at once, with the questions of the form; numbers of pay as texts."""

from collections.abc import Iterator
from typing import Any

from dibs.apps.postings.boards.board import About, BoardRequest, Rows, Step
from dibs.apps.postings.boards.plain import PlainBoard, check_token, join_texts, make_pay, settle_pay
from dibs.apps.postings.model import Pay, Place, Posting, Question, Workplace
from dibs.apps.postings.reading.dates import find_moment
from dibs.apps.postings.reading.employment import read_employment
from dibs.apps.postings.reading.fields import (
    find_flag,
    find_line,
    find_list,
    find_record,
    find_records,
    find_text,
    find_url,
    first,
)
from dibs.apps.postings.reading.places import gather_places, make_place, read_workplace

_OPTIONS = {
    "options_cv": "Resume",
    "options_cover_letter": "Cover letter",
    "options_phone": "Phone",
    "options_photo": "Photo",
}
_FLAGS = {"hybrid": Workplace.HYBRID, "remote": Workplace.REMOTE, "on_site": Workplace.ONSITE}


class Recruitee(PlainBoard):
    """Boards at acme.recruitee.com; a token with a point in it is a host of its own, such as `careers.acme.com`."""

    name = "recruitee"

    def ask_page(self, token: str, step: Step) -> BoardRequest:  # noqa: ARG002 - there is one page only
        """Ask for all offers."""
        check_token(token, self.name)
        host = token if "." in token else f"{token}.recruitee.com"
        return BoardRequest(url=f"https://{host}/api/offers")

    def find_rows(self, document: Any) -> Rows | None:
        """Find the list, or one offer."""
        if not isinstance(document, dict):
            return None
        if isinstance(document.get("offers"), list):
            return Rows(rows=document["offers"])
        offer = document.get("offer", document)
        return Rows(rows=[offer]) if isinstance(offer, dict) and "title" in offer else None

    def find_title(self, row: dict[str, Any]) -> str | None:
        """Find the title, of a translation where the offer itself has none."""
        return first([find_line(row, "title"), find_line({"title": _find_said(row, "title")}, "title")])

    def read_row(self, row: dict[str, Any], about: About) -> Posting | None:
        """Read one offer; one that is not published is passed over."""
        if (find_line(row, "status") or "published").lower() not in ("published", "open"):
            return None
        places = _find_places(row)
        text = join_texts(_find_said(row, "description"), _find_said(row, "requirements"))
        return Posting(
            external_id=self.identify(row) or "",
            title=self.find_title(row) or "",
            company=about.name_company(find_line(row, "company_name")),
            places=places,
            workplace=_find_workplace(row, places),
            department=find_line(row, "department"),
            employment_type=read_employment(find_line(row, "employment_type_code")),
            pay=settle_pay(_find_pay(row), text, places, *_find_pay_words(row)),
            posted=find_moment(row, "published_at") or find_moment(row, "created_at"),
            updated=find_moment(row, "updated_at"),
            deadline=find_moment(row, "close_at"),
            url=find_url(row, "careers_url"),
            apply_url=first([find_url(row, "careers_apply_url"), find_url(row, "careers_url")]),
            requisition_id=find_line(row, "guid"),
            text=text,
            questions=tuple(_find_questions(row)),
        )


def _find_said(row: dict[str, Any], name: str) -> str:
    """Give what the offer itself says, else its English, else its first translation."""
    told = find_record(row, "translations")
    others = (find_text(told, language, name) for language in ("en", *sorted(told)))
    return find_text(row, name) or next((text for text in others if text), "")


def _find_places(row: dict[str, Any]) -> tuple[Place, ...]:
    listed = [_find_place(one) for one in find_records(row, "locations")]
    own = make_place(
        find_line(row, "city"),
        find_line(row, "state_code"),
        find_line(row, "country_code"),
        name=find_line(row, "location"),
    )
    return gather_places(listed if any(listed) else [own])


def _find_place(one: dict[str, Any]) -> Place | None:
    city, region = find_line(one, "city"), find_line(one, "state")
    country = first([find_line(one, "country"), find_line(one, "country_code")])
    return make_place(city, region, country, name=None if city else find_line(one, "name"))


def _find_workplace(row: dict[str, Any], places: tuple[Place, ...]) -> Workplace | None:
    stated = next((workplace for name, workplace in _FLAGS.items() if find_flag(row, name)), None)
    return stated or read_workplace(*(place.name for place in places))


def _find_pay(row: dict[str, Any]) -> Pay | None:
    given = find_record(row, "salary")
    return make_pay(given, ("min", "max"), find_line(given, "currency"), find_line(given, "period"))


def _find_pay_words(row: dict[str, Any]) -> list[str]:
    said = find_line(row, "salary")
    return [f"Salary: {said}"] if said else []


def _find_questions(row: dict[str, Any]) -> Iterator[Question]:
    for name, label in _OPTIONS.items():
        if find_line(row, name) in ("required", "optional"):
            yield Question(label=label, name=name.removeprefix("options_"), required=find_line(row, name) == "required")
    for one in find_records(row, "open_questions"):
        body = find_line(one, "body")
        if body:
            options = find_list(one, "open_question_options") or find_list(one, "options")
            yield Question(
                label=body,
                name=find_line(one, "id"),
                kind=find_line(one, "kind"),
                required=find_flag(one, "required") or False,
                options=tuple(said for option in options if (said := find_line(option, "body"))),
            )
