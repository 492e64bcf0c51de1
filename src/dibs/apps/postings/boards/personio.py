"""Personio: everything at once, as XML; ids that may repeat."""

from typing import Any

from dibs.apps.postings.boards.board import About, BoardRequest, Rows, Step
from dibs.apps.postings.boards.plain import PlainBoard, check_token, join_texts, settle_pay
from dibs.apps.postings.model import Place, Posting
from dibs.apps.postings.reading.dates import find_moment
from dibs.apps.postings.reading.employment import read_employment
from dibs.apps.postings.reading.fields import find_line, first
from dibs.apps.postings.reading.places import gather_places, read_workplace
from dibs.apps.postings.reading.xml import Element, read_xml

_CARRIERS = ("jobs.personio.de", "jobs.personio.com")


class Personio(PlainBoard):
    """Boards at acme.jobs.personio.de; a token with a point in it is a whole host."""

    name = "personio"
    title_field = "name"

    def ask_page(self, token: str, step: Step) -> BoardRequest:  # noqa: ARG002 - there is one page only
        """Ask for all positions, in English where there is a translation."""
        check_token(token, self.name)
        host = token if "." in token else f"{token}.{_CARRIERS[0]}"
        return BoardRequest(url=f"https://{host}/xml?language=en", headers={"accept": "application/xml, text/xml"})

    def decode(self, payload: bytes) -> Any:
        """Read the XML, and make rows of its positions."""
        root = read_xml(payload)
        if root.name == "position":
            return [_make_row(root)]
        return (
            [_make_row(one) for one in root.children if one.name == "position"] if root.name == "workzag-jobs" else None
        )

    def find_rows(self, document: Any) -> Rows | None:
        """Find the positions."""
        return Rows(rows=document) if isinstance(document, list) else None

    def read_row(self, row: dict[str, Any], about: About) -> Posting | None:
        """Read one position."""
        offices = [find_line(row, "office"), *(find_line({"v": name}, "v") for name in _listed(row, "offices"))]
        places = gather_places(Place(name=name) for name in offices if name)
        text = join_texts(*(piece for piece in _listed(row, "texts") if isinstance(piece, str)))
        address = _find_page(about.token, self.identify(row))
        return Posting(
            external_id=self.identify(row) or "",
            title=self.find_title(row) or "",
            company=about.name_company(find_line(row, "subcompany")),
            places=places,
            workplace=read_workplace(*offices, self.find_title(row)),
            department=first([find_line(row, "department"), find_line(row, "recruitingCategory")]),
            employment_type=_find_employment(row),
            pay=settle_pay(None, text, places),
            posted=find_moment(row, "createdAt"),
            url=address,
            apply_url=None if address is None else f"{address}#apply",
            text=text,
        )


def _listed(row: dict[str, Any], name: str) -> list[Any]:
    value = row.get(name)
    return value if isinstance(value, list) else []


def _find_employment(row: dict[str, Any]) -> str | None:
    """Say how much is worked where the contract is nothing special, else what kind of contract it is."""
    kind, schedule = find_line(row, "employmentType"), find_line(row, "schedule")
    return read_employment(schedule, kind) if kind in (None, "permanent") and schedule else read_employment(kind)


def _make_row(position: Element) -> dict[str, Any]:
    row: dict[str, Any] = {child.name: child.text for child in position.children if not child.children}
    for group in position.children:
        if group.name == "additionalOffices":
            row["offices"] = [office.text for office in group.children]
        elif group.name == "jobDescriptions":
            row["texts"] = [_make_section(one) for one in group.children]
    return row


def _make_section(description: Element) -> str:
    parts = {child.name: child.markup for child in description.children}
    name = parts.get("name", "").strip()
    return f"<h3>{name}</h3>{parts.get('value', '')}" if name else parts.get("value", "")


def _find_page(token: str | None, position: str | None) -> str | None:
    if token is None or position is None or not position.isalnum():
        return None
    host = token if "." in token else f"{token}.{_CARRIERS[0]}"
    return f"https://{host}/job/{position}"
