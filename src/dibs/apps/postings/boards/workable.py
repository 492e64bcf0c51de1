"""Workable: everything at once, one row for each place of a posting; pay in the text only."""

from typing import Any

from dibs.apps.postings.boards.board import About, BoardRequest, Rows, Step
from dibs.apps.postings.boards.plain import PlainBoard, check_token, join_texts, settle_pay
from dibs.apps.postings.model import Place, Posting, Workplace
from dibs.apps.postings.reading.dates import find_moment
from dibs.apps.postings.reading.employment import read_employment
from dibs.apps.postings.reading.fields import find_flag, find_line, find_records, find_text, find_url, first
from dibs.apps.postings.reading.places import gather_places, make_place, read_workplace

_PIECES = ("description", "requirements", "benefits")


class Workable(PlainBoard):
    """Boards at apply.workable.com. All share one host, and its limit."""

    name = "workable"
    id_field = "shortcode"

    def ask_page(self, token: str, step: Step) -> BoardRequest:  # noqa: ARG002 - there is one page only
        """Ask for all postings with their text."""
        where = f"https://apply.workable.com/api/v1/widget/accounts/{check_token(token, self.name)}"
        return BoardRequest(url=f"{where}?details=true")

    def find_rows(self, document: Any) -> Rows | None:
        """Find the list (of either interface), or one posting."""
        if not isinstance(document, dict):
            return None
        listed = next((document[name] for name in ("jobs", "results") if isinstance(document.get(name), list)), None)
        if listed is not None:
            return Rows(rows=listed, company=find_line(document, "name"))
        return Rows(rows=[document]) if "shortcode" in document else None

    def read_row(self, row: dict[str, Any], about: About) -> Posting | None:
        """Read one row; those of one posting are joined afterwards."""
        places = gather_places([_find_own(row), *(_find_place(one) for one in find_records(row, "locations"))])
        text = join_texts(*(find_text(row, piece) for piece in _PIECES))
        return Posting(
            external_id=self.identify(row) or "",
            title=self.find_title(row) or "",
            company=about.name_company(),
            places=places,
            workplace=_find_workplace(row),
            department=first(
                [find_line(row, "department"), *(find_line({"v": one}, "v") for one in _listed(row, "department"))]
            ),
            employment_type=read_employment(first([find_line(row, "employment_type"), find_line(row, "type")])),
            pay=settle_pay(None, text, places),
            posted=find_moment(row, "published_on") or find_moment(row, "published") or find_moment(row, "created_at"),
            url=first([find_url(row, "url"), find_url(row, "shortlink")]),
            apply_url=first([find_url(row, "application_url"), find_url(row, "url"), find_url(row, "shortlink")]),
            requisition_id=find_line(row, "code"),
            language=find_line(row, "language"),
            text=text,
        )


def _listed(row: dict[str, Any], name: str) -> list[Any]:
    value = row.get(name)
    return value if isinstance(value, list) else []


def _find_own(row: dict[str, Any]) -> Place | None:
    return make_place(find_line(row, "city"), find_line(row, "state"), find_line(row, "country"))


def _find_place(one: dict[str, Any]) -> Place | None:
    if find_flag(one, "hidden"):
        return None
    return make_place(find_line(one, "city"), find_line(one, "region"), find_line(one, "country"))


def _find_workplace(row: dict[str, Any]) -> Workplace | None:
    stated = read_workplace((find_line(row, "workplace") or "").replace("_", "-"))
    if stated is not None:
        return stated
    is_remote = next((flag for name in ("telecommuting", "remote") if (flag := find_flag(row, name)) is not None), None)
    if is_remote is None:
        return None
    return Workplace.REMOTE if is_remote else Workplace.ONSITE
