"""The development set on disk: what is missing is rendered, what is there is kept.

A file's name carries a digest of what it was made from, so that a changed template is drawn again and nothing else is.
"""

import hashlib
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct, json

from evals.resumes.cases import Case
from evals.resumes.people import make_person
from evals.resumes.printed import cut_to_print
from evals.resumes.rendering import drawn, word
from evals.resumes.rendering.chromium import Browser, open_browser
from evals.resumes.rendering.missing import has
from evals.resumes.rendering.office import convert_to_pdf
from evals.resumes.rendering.scan import scan
from evals.resumes.rendering.web import render_html
from evals.resumes.sheet import Sheet, make_sheet
from evals.resumes.templates import Template


class Order(Struct, frozen=True):
    """One person on one template, in the formats asked for."""

    template: Template
    number: int
    formats: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.template.name}-{self.number:02d}"

    def sheet(self) -> Sheet:
        person = make_person(self.name)
        return make_sheet(person, self.template.traits, seed=self.template.name)


def make_orders(templates: Iterable[Template], people: int, *, formats: set[str], scans: int) -> list[Order]:
    orders = []
    for template in templates:
        if not has(template.tool):
            continue
        for number in range(people):
            wanted = (one for one in template.formats if one in formats and (one != "scan" or number < scans))
            orders.append(Order(template, number, tuple(wanted)))
    return orders


def build(orders: list[Order], folder: Path) -> list[Case]:
    folder.mkdir(parents=True, exist_ok=True)
    _write_pages(orders, folder)
    _write_words(orders, folder)
    _write_drawings(orders, folder)
    return [case for order in orders for case in _list_cases(order, folder)]


def _place(order: Order, folder: Path, extension: str) -> Path:
    return folder / f"{order.name}-{_digest(order)}.{extension}"


def _digest(order: Order) -> str:
    sheet = order.sheet()
    made_from = {"chromium": lambda: render_html(order.template.name, sheet).encode()}
    source = made_from.get(order.template.tool, lambda: json.encode(sheet) + _code(order.template.tool))()
    return hashlib.sha256(source).hexdigest()[:10]


def _code(tool: str) -> bytes:
    return (Path(__file__).parent / "rendering" / f"{'word' if tool == 'word' else 'drawn'}.py").read_bytes()


def _write_pages(orders: list[Order], folder: Path) -> None:
    """The browser is only started when a page is missing."""
    with ExitStack() as stack:
        browser: Browser | None = None
        for order in (one for one in orders if one.template.tool == "chromium"):
            page, printed = _place(order, folder, "html"), _place(order, folder, "pdf")
            if printed.exists():
                continue
            browser = browser or stack.enter_context(open_browser())
            page.write_text(render_html(order.template.name, order.sheet()), encoding="utf-8")
            printed.write_bytes(browser.print_page(page))


def _write_words(orders: list[Order], folder: Path) -> None:
    files = []
    for order in (one for one in orders if one.template.tool == "word"):
        file = _place(order, folder, "docx")
        if not file.with_suffix(".pdf").exists():
            file.write_bytes(word.WRITERS[order.template.name](order.sheet()))
            files.append(file)
    convert_to_pdf(files, folder)


def _write_drawings(orders: list[Order], folder: Path) -> None:
    for order in (one for one in orders if one.template.tool == "reportlab"):
        file = _place(order, folder, "pdf")
        if not file.exists():
            file.write_bytes(drawn.DRAWINGS[order.template.name](order.sheet()))


def scan_once(pdf: Path) -> Path:
    """The scan beside a PDF, made at the first call."""
    found = next((one for one in pdf.parent.glob(f"{pdf.stem}.scan.*")), None)
    if found:
        return found
    data, extension = scan(pdf.read_bytes(), seed=pdf.stem)
    file = pdf.with_suffix(f".scan.{extension}")
    file.write_bytes(data)
    return file


def _list_cases(order: Order, folder: Path) -> Iterable[Case]:
    sheet, template = order.sheet(), order.template
    for format_ in order.formats:
        printed = _place(order, folder, "pdf")
        file = scan_once(printed) if format_ == "scan" else _place(order, folder, format_)
        yield Case(
            name=f"{order.name}.{format_}",
            group="aside" if template.aside else "development",
            template=template.name,
            layout=template.layout,
            format=format_,
            file=str(file),
            truth=cut_to_print(sheet.truth, printed) if format_ == "scan" else sheet.truth,
            language=sheet.language,
        )
