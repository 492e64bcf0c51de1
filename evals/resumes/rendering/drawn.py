"""Layouts drawn by reportlab: a running page, a sidebar of its own frame, and a grid of cells."""

from collections.abc import Callable
from functools import cache
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, PageTemplate, Paragraph, Spacer, Table, TableStyle
from reportlab.platypus.flowables import Flowable

from evals.resumes.sheet import Post, School, Sheet

FONTS = Path("/usr/share/fonts/truetype/dejavu")
MAIN = ("summary", "work", "education", "projects", "references")


@cache
def _font_names() -> tuple[str, str]:
    """A font with all the letters of our people where the machine has one; else the PDF's own, which knows Latin-1."""
    if not (FONTS / "DejaVuSans.ttf").exists():
        return "Helvetica", "Helvetica-Bold"
    pdfmetrics.registerFont(TTFont("DejaVu", FONTS / "DejaVuSans.ttf"))
    pdfmetrics.registerFont(TTFont("DejaVu-Bold", FONTS / "DejaVuSans-Bold.ttf"))
    return "DejaVu", "DejaVu-Bold"


def _style(size: float = 9, *, bold: bool = False, color: str = "#222222", before: float = 0) -> ParagraphStyle:
    font = _font_names()[1 if bold else 0]
    name = f"{font}{size}{color}{before}"
    return ParagraphStyle(
        name, fontName=font, fontSize=size, leading=size * 1.35, textColor=HexColor(color), spaceBefore=before
    )


def _say(text: str, **style: Any) -> Paragraph:
    return Paragraph(escape(text, quote=False), _style(**style))


def _heading(sheet: Sheet, key: str, color: str) -> Paragraph:
    return _say(sheet.headings[key], size=11.5, bold=True, color=color, before=8)


def _post(post: Post) -> list[Flowable]:
    place = f", {post.place}" if post.place else ""
    head = [_say(post.title, bold=True), _say(f"{post.org}{place}"), _say(post.dates, size=8, color="#666666")]
    return [*head, *(_say(f"• {bullet}") for bullet in post.bullets), Spacer(0, 4)]


def _school(school: School) -> list[Flowable]:
    return [_say(school.degree, bold=True), _say(f"{school.institution}, {school.dates}"), Spacer(0, 4)]


def _body(sheet: Sheet, key: str) -> list[Flowable]:
    simple: dict[str, Callable[[], list[Flowable]]] = {
        "summary": lambda: [_say(sheet.summary)],
        "work": lambda: [part for post in sheet.work for part in _post(post)],
        "education": lambda: [part for school in sheet.education for part in _school(school)],
        "skills": lambda: [_say(", ".join(sheet.skills))],
        "languages": lambda: [_say(f"{language}: {level}") for language, level in sheet.languages],
        "projects": lambda: [part for name, text in sheet.projects for part in (_say(name, bold=True), _say(text))],
        "certificates": lambda: [_say(f"• {name}") for name in sheet.certificates],
        "interests": lambda: [_say(", ".join(sheet.interests))],
        "references": lambda: [_say(sheet.references)],
    }
    return simple[key]()


def _sections(sheet: Sheet, keys: list[str], color: str) -> list[Flowable]:
    return [part for key in keys for part in (_heading(sheet, key, color), *_body(sheet, key))]


def _contacts(sheet: Sheet, color: str = "#222222") -> list[Flowable]:
    return [_say(contact.text, size=8.5, color=color) for contact in sheet.contacts]


def _build(frames: list[Frame], story: list[Flowable], background: Callable[[Any, Any], None] | None = None) -> bytes:
    buffer = BytesIO()
    document = BaseDocTemplate(buffer, pagesize=A4, invariant=1)
    document.addPageTemplates(PageTemplate(frames=frames, onPage=background or (lambda _canvas, _document: None)))
    document.build(story)
    return buffer.getvalue()


def draw_plain(sheet: Sheet) -> bytes:
    color = sheet.choices["accent"]
    line = sheet.choices["separator"].join(contact.text for contact in sheet.contacts)
    head = [_say(sheet.name, size=18, bold=True), _say(sheet.label, size=11, color=color), _say(line, size=8.5)]
    frame = Frame(18 * mm, 15 * mm, A4[0] - 36 * mm, A4[1] - 30 * mm)
    return _build([frame], head + _sections(sheet, sheet.order, color))


def draw_sidebar(sheet: Sheet) -> bytes:
    """The wide frame is filled first, then the narrow one: the order in the file is not the order of the eye."""
    color = sheet.choices["accent"]

    def shade(canvas: Any, _document: Any) -> None:
        canvas.setFillColor(HexColor("#e9edf2"))
        canvas.rect(0, 0, 62 * mm, A4[1], stroke=0, fill=1)

    wide = Frame(66 * mm, 12 * mm, A4[0] - 76 * mm, A4[1] - 24 * mm)
    narrow = Frame(6 * mm, 12 * mm, 52 * mm, A4[1] - 24 * mm)
    main = [key for key in sheet.order if key in MAIN]
    side = [key for key in sheet.order if key not in MAIN]
    story = [
        _say(sheet.name, size=20, bold=True, color=color),
        _say(sheet.label, size=11),
        *_sections(sheet, main, color),
    ]
    story += [FrameBreak(), _heading(sheet, "contact", color), *_contacts(sheet), *_sections(sheet, side, color)]
    return _build([wide, narrow], story, shade)


def draw_grid(sheet: Sheet) -> bytes:
    """Every section a row of a ruled table, dates in a cell of their own."""
    color = sheet.choices["accent"]
    story: list[Flowable] = [_say(sheet.name, size=17, bold=True, color=color), *_contacts(sheet)]
    for key in sheet.order:
        story += [_heading(sheet, key, color), Spacer(0, 2)]
        rows = _rows(sheet, key)
        table = Table(rows, colWidths=[42 * mm, 130 * mm] if len(rows[0]) > 1 else [172 * mm])
        table.setStyle(
            TableStyle([("GRID", (0, 0), (-1, -1), 0.4, HexColor("#999999")), ("VALIGN", (0, 0), (-1, -1), "TOP")])
        )
        story.append(table)
    frame = Frame(16 * mm, 14 * mm, A4[0] - 32 * mm, A4[1] - 28 * mm)
    return _build([frame], story)


def _rows(sheet: Sheet, key: str) -> list[list[Any]]:
    if key == "work":
        return [
            [
                _say(post.dates),
                [_say(post.org, bold=True), _say(post.title), *(_say(f"- {one}") for one in post.bullets)],
            ]
            for post in sheet.work
        ]
    if key == "education":
        return [
            [_say(school.dates), [_say(school.institution, bold=True), _say(school.degree)]]
            for school in sheet.education
        ]
    return [[_body(sheet, key)]]


DRAWINGS = {"drawn_plain": draw_plain, "drawn_sidebar": draw_sidebar, "drawn_grid": draw_grid}
