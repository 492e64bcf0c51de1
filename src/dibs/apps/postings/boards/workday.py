"""Workday: pages of twenty that stop at two thousand; days in words; text in the detail."""

import re
from datetime import datetime
from typing import Any

from dibs.apps.postings.boards.board import JSON_HEADERS, About, BoardRequest, Rows, Step
from dibs.apps.postings.boards.plain import PlainBoard, check_token, join_texts, settle_pay
from dibs.apps.postings.model import Moment, Place, Posting, Precision
from dibs.apps.postings.reading.dates import find_moment, read_words
from dibs.apps.postings.reading.employment import read_employment
from dibs.apps.postings.reading.fields import (
    find_count,
    find_flag,
    find_line,
    find_list,
    find_record,
    find_records,
    find_text,
    find_url,
    first,
)
from dibs.apps.postings.reading.places import gather_places, read_workplace, split_places
from dibs.kit.codec import encode_json

_COUNTED = re.compile(r"^\d+\s")
_PATH = re.compile(r"/[A-Za-z0-9._~%/()'!*,:@&=+$-]{1,500}")
_MIRROR = re.compile(r"(?<=\d)-[1-9]$")
_NUMBERED = re.compile(r"[A-Za-z0-9._/#-]{0,50}\d[A-Za-z0-9._/#-]{0,50}")
_LIMIT = 10_000


class Workday(PlainBoard):
    """Boards at myworkdayjobs.com. A token is `acme.wd5/External`: tenant, data centre, site."""

    name = "workday"
    page_size = 20
    cap = 2000
    has_details = True

    def ask_page(self, token: str, step: Step) -> BoardRequest:
        """Ask for twenty postings, of one value of a facet where the listing is divided."""
        facets = {} if step.slice is None else {step.slice[0]: [step.slice[1]]}
        asked = {"appliedFacets": facets, "limit": self.page_size, "offset": step.offset, "searchText": ""}
        return BoardRequest(
            url=f"{_find_base(token)}/jobs",
            method="POST",
            headers={**JSON_HEADERS, "content-type": "application/json"},
            body=encode_json(asked, limit=_LIMIT, what="the question to Workday"),
        )

    def ask_detail(self, token: str, posting: Posting) -> BoardRequest | None:
        """Ask for the text."""
        return None if posting.detail_path is None else BoardRequest(url=f"{_find_base(token)}{posting.detail_path}")

    def find_rows(self, document: Any) -> Rows | None:
        """Find the list, or one posting."""
        if not isinstance(document, dict):
            return None
        listed = document.get("jobPostings")
        if isinstance(listed, list):
            return Rows(rows=listed, total=find_count(document, "total"), slices=_find_slices(document, self.cap))
        if isinstance(document.get("jobPostingInfo"), dict):
            info = {**document["jobPostingInfo"], "hiringOrganization": document.get("hiringOrganization")}
            return Rows(rows=[info])
        return None

    def identify(self, row: dict[str, Any]) -> str | None:
        """Find the requisition's number; a posting without one goes by its path, without the mark of a mirror."""
        path = _find_path(row)
        end = None if path is None else path.rsplit("/", 1)[-1].rsplit("_", 1)[-1]
        return first([find_line(row, "jobReqId"), _find_bullet(row, end), end and _MIRROR.sub("", end)])

    def read_row(self, row: dict[str, Any], about: About) -> Posting | None:
        """Read one row of a list, or a detail."""
        places = _find_places(row)
        text = join_texts(find_text(row, "jobDescription"))
        return Posting(
            external_id=self.identify(row) or "",
            title=self.find_title(row) or "",
            company=about.name_company(find_line(row, "hiringOrganization", "name")),
            places=places,
            workplace=read_workplace(find_line(row, "remoteType"), *(place.name for place in places)),
            employment_type=read_employment(find_line(row, "timeType")),
            pay=settle_pay(None, text, places),
            posted=_find_posted(row, about.now),
            url=find_url(row, "externalUrl"),
            apply_url=find_url(row, "externalUrl") or _find_page(about.token, _find_path(row)),
            requisition_id=find_line(row, "jobReqId"),
            text=text,
            detail_path=_find_path(row),
            is_open=find_flag(row, "canApply") is not False and find_flag(row, "posted") is not False,
        )


def _find_bullet(row: dict[str, Any], end: str | None) -> str | None:
    """Find the number among the bullets: that of the path, else the first that has the form of one.

    Tenants choose what their bullets say, so that the first may be a place, which many postings share.
    """
    said = [find_line({"v": one}, "v") for one in find_list(row, "bulletFields")[:10]]
    bullets = [one for one in said if one and _NUMBERED.fullmatch(one)]
    in_path = [one for one in bullets if end is not None and (end == one or end.startswith(f"{one}-"))]
    return first(in_path + bullets)


def _find_posted(row: dict[str, Any], now: datetime) -> Moment | None:
    started = find_moment(row, "startDate")
    if started is not None:
        return Moment(started.at, Precision.DAY)
    said = find_line(row, "postedOn")
    return None if said is None else read_words(said, now)


def _find_base(token: str) -> str:
    host, _, site = check_token(token, "workday", like="acme.wd5/External").partition("/")
    return f"https://{host}.myworkdayjobs.com/wday/cxs/{host.partition('.')[0]}/{site}"


def _find_page(token: str | None, path: str | None) -> str | None:
    host, _, site = (token or "").partition("/")
    if not site or path is None:
        return None
    return f"https://{host}.myworkdayjobs.com/{site}{path}"


def _find_path(row: dict[str, Any]) -> str | None:
    path = find_line(row, "externalPath")
    return path if path and _PATH.fullmatch(path) and ".." not in path else None


def _find_places(row: dict[str, Any]) -> tuple[Place, ...]:
    """Name the places; of "3 Locations" only the detail tells which."""
    listed = find_line(row, "locationsText")
    own = [find_line(row, "location"), *(find_line({"v": one}, "v") for one in find_list(row, "additionalLocations"))]
    said = [] if listed is None or _COUNTED.match(listed) else [*split_places(listed)]
    return gather_places([*(Place(name=name) for name in own if name), *said])


def _find_slices(document: dict[str, Any], cap: int) -> tuple[tuple[str, str], ...]:
    """Choose the facet with the fewest values, each of which stays below the cap."""
    choices = [_read_facet(facet, cap) for facet in _flatten(find_records(document, "facets"))]
    return min((choice for choice in choices if choice), key=len, default=())


def _flatten(facets: Any) -> list[dict[str, Any]]:
    found = []
    for facet in facets:
        inner = [one for one in find_records(facet, "values") if "facetParameter" in one]
        found += inner or [facet]
    return found


def _read_facet(facet: dict[str, Any], cap: int) -> tuple[tuple[str, str], ...]:
    name = find_line(facet, "facetParameter")
    values = [find_record({"v": one}, "v") for one in find_list(facet, "values")]
    counts = [find_count(value, "count") for value in values]
    ids = [find_line(value, "id") for value in values]
    if name is None or not values or any(count is None or count >= cap for count in counts) or not all(ids):
        return ()
    return tuple((name, one) for one in ids if one)
