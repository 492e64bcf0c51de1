"""How a person can be reached: mail addresses and telephone numbers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from urllib.parse import unquote

import phonenumbers

from dibs.services.resumes.document import Box, Document, Line
from dibs.services.resumes.profile import Field
from dibs.services.resumes.understanding.fields.making import make_field
from dibs.services.resumes.understanding.person.cells import SPACES
from dibs.services.resumes.understanding.person.mending import NETWORKS, join_broken
from dibs.services.resumes.understanding.sections.rows import Piece, Row, as_row
from dibs.services.resumes.understanding.sections.wrapping import Reach, find_edges

EMAIL = re.compile(r"[\w.+%-]+@(?:[\w-]+\.)+[a-z]{2,24}", re.IGNORECASE)
PHONE_LIKE = re.compile(r"(?<![\w/])(?:\(?\+)?\(?\d[\d\s().\-/\u00a0\u2011\u2013]{6,20}\d(?!\w)")
_GLUED_LABEL = re.compile(r"\bE-?[Mm]ail(?=[a-z][\w.+%-]*@)")
_DOT = r"\s?[\[({]\s?(?:dot|punkt|point|punto|\.)\s?[\])}]\s?"
_AT = r"\s?[\[({<]\s?(?:at|ät|@|arobase|arroba)\s?[\])}>]\s?"
# It begins where a word does: sought from within each, a long word would take the square of its length.
_WRITTEN = re.compile(rf"(?<![\w.+%-])([\w.+%-]+){_AT}((?:[\w-]+(?:\.|{_DOT}))+[a-z]{{2,24}})(?!\w)", re.IGNORECASE)
_MAIL_LABEL = re.compile(r"\b(?:e-?)?mail\b|\bcorreo\b|\bcourriel\b", re.IGNORECASE)
_CODE = re.compile(r"\+\d{1,3}$")
_BEGUN = re.compile(r"(?<![\w/])\(?\+?\(?\d[\d\s().\-/]*$")
_LONGEST = 60
"""So many letters at the end of a line are looked at: with its label, a number is no longer."""
_DIGITS = re.compile(r"\d[\d\s().\-/]*")
_REGIONS = {
    "en": ("US", "GB", "CA", "AU", "IN", "IE"),
    "de": ("DE", "AT", "CH"),
    "fr": ("FR", "BE", "CH", "CA"),
    "es": ("ES", "MX", "AR", "CO", "CL"),
}


def find_emails(rows: Sequence[Row], document: Document) -> list[Field]:
    """Find addresses in links first, which hold whole what a column broke; but some links are scrambled against robots."""
    linked = [
        Field(unquote(link[7:].split("?")[0]), 0.98, boxes)
        for link, boxes in list_links(document)
        if link.lower().startswith("mailto:")
    ]
    shown = [
        field
        for piece in join_broken(rows)
        for match in EMAIL.finditer(_part_label(piece.text))
        if (field := make_field(piece.cut(*match.span()), 0.97))
    ]
    scrambled = shown and linked and not any(_is_one(field, other) for field in linked for other in shown)
    found = [*shown, *linked] if scrambled else [*linked, *shown]
    found += _broken_emails(rows) if not found else []
    return _unique([field for field in found if EMAIL.fullmatch(field.value)])


def _part_label(text: str) -> str:
    """A label that touches the address is no part of it: "Emailada@mail.example"."""
    return _GLUED_LABEL.sub(lambda match: " " * len(match[0]), text)


def find_written(top: Sequence[Row], rows: Sequence[Row]) -> list[Field]:
    """Find addresses that are written for people, or that were read with white in them: "ada (at) mail.example".

    Elsewhere than at the top only behind a label: "Speaker (at) conference.example" is none.
    """
    found = []
    for row in (*top, *(row for row in rows if _MAIL_LABEL.search(row.text))):
        if match := _WRITTEN.search(row.text):
            address = re.sub(_DOT, ".", f"{match[1]}@{match[2]}", flags=re.IGNORECASE)
            found += [Field(address, 0.85, row.cut(*match.span()).boxes)] if EMAIL.fullmatch(address) else []
    return _unique(found)


def _is_one(link: Field, shown: Field) -> bool:
    """What is shown may be a part of the address, where a line was broken, or have the hyphen of that line."""
    one, other = (field.value.casefold().replace("-", "") for field in (link, shown))
    return other in one or one in other


def _broken_emails(rows: Sequence[Row]) -> list[Field]:
    for first, second in pairwise(rows):
        tail, head = first.text.split()[-1:], second.text.split()[:1]
        if tail and tail[0].casefold() in NETWORKS:
            continue
        if tail and head and "@" in tail[0] + head[0] and (match := EMAIL.fullmatch(tail[0].rstrip("-") + head[0])):
            piece = Piece(match[0], (first.words[-1], second.words[0]))
            return [field] if (field := make_field(piece, 0.8)) else []
    return []


def list_links(document: Document) -> Iterator[tuple[str, tuple[Box, ...]]]:
    for page in document.pages:
        for link in page.links:
            yield link.target, (link.box,)
        for word in page.words:
            if word.link:
                yield word.link, (word.box,)
    for block in document.blocks or ():
        for line in block.lines:
            for word in line.words:
                if word.link:
                    yield word.link, (word.box,)


def _unique(fields: list[Field]) -> list[Field]:
    seen: dict[str, Field] = {}
    for field in fields:
        seen.setdefault(field.value.casefold(), field)
    return list(seen.values())


def find_phones(rows: Sequence[Row], document: Document, language: str, country: str | None) -> list[Field]:
    """Find telephone numbers, written in full or as people of the country or language write them."""
    regions = [*([country] if country else []), *_REGIONS.get(language, _REGIONS["en"])]
    joined = _join_numbers(rows, regions)
    found = [field for row in joined for part in _part(row) for field in _phones_in(part, regions)]
    for link, boxes in list_links(document):
        if link.lower().startswith("tel:") and (number := _parse(unquote(link[4:]), regions)):
            found.append(Field(unquote(link[4:]).strip(), 0.9, boxes, _e164(number)))
    seen: dict[str, Field] = {}
    for field in found:
        seen.setdefault(field.normal or re.sub(r"\D", "", field.value), field)
    return list(seen.values())


def _join_numbers(rows: Sequence[Row], regions: Sequence[str]) -> Iterator[Row]:
    """Put numbers together that a narrow column broke in two."""
    above: Row | None = None
    edges = find_edges(rows)
    for row in rows:
        if above is not None and _is_broken(above, row, edges, regions):
            above = Row(Line((*above.words, *row.words), above.line.box), column=above.column)
            continue
        if above is not None:
            yield above
        above = row
    if above is not None:
        yield above


def _is_broken(above: Row, row: Row, edges: Mapping[int, Reach], regions: Sequence[str]) -> bool:
    """Tell whether a number goes on below: its next digits found no room, and only with them there is such a number."""
    begun = _BEGUN.search(above.text[-_LONGEST:])
    if begun is None or _DIGITS.fullmatch(row.text) is None or above.column != row.column:
        return False
    first, last = row.words[0].box, above.words[-1].box
    is_full = last.right + SPACES * row.size + first.right - first.left > edges[row.column].right
    return is_full and not _is_valid(begun[0], regions) and _is_valid(f"{begun[0]} {row.text}", regions)


def _is_valid(text: str, regions: Sequence[str]) -> bool:
    number = _parse(text, regions)
    return number is not None and (phonenumbers.is_valid_number(number) or "555" in text)


def _part(row: Row) -> list[Row]:
    """Part contacts where the white between them is wide, but no number behind the code of its country."""
    parts = row.part(SPACES)
    return [row] if any(_CODE.search(part.text) for part in parts) else [as_row(part, row) for part in parts]


def _phones_in(row: Row, regions: Sequence[str]) -> Iterator[Field]:
    for match in PHONE_LIKE.finditer(row.text):
        digits = re.sub(r"\D", "", match[0])
        if not 7 <= len(digits) <= 15 or _is_dates(row, match):  # noqa: PLR2004 - E.164
            continue
        begin, end = match.start(), _find_end(row, match)
        number = _parse(row.text[begin:end], regions)
        first = row.text[begin:end].partition(" / ")[0]
        if number is None and _is_whole(first):
            end = begin + len(first)
            number = _parse(first, regions)
        if field := make_field(row.cut(begin, end), 0.97 if number else 0.75, normal=_e164(number) if number else None):
            yield field


def _find_end(row: Row, match: re.Match[str]) -> int:
    """White that is wide parts a whole number from the next one, or from that of a house."""
    at = 0
    for before, word in pairwise(row.words):
        at += len(before.text) + 1
        apart = word.box.left - before.box.right > SPACES * word.size
        if apart and match.start() < at < match.end() and _is_whole(row.text[match.start() : at]):
            return at - 1
    return match.end()


def _is_whole(text: str) -> bool:
    """A slash may part a number from what stands beside it, or its area from the rest."""
    return sum(char.isdigit() for char in text) > 6  # noqa: PLR2004 - more than an area code


def _is_dates(row: Row, match: re.Match[str]) -> bool:
    covered = sum(
        min(span.end, match.end()) - max(span.begin, match.start())
        for span in row.spans
        if span.begin < match.end() and match.start() < span.end
    )
    return covered > 0.5 * len(match[0]) and not match[0].startswith("+")


def _parse(text: str, regions: Sequence[str]) -> phonenumbers.PhoneNumber | None:
    for region in regions:
        try:
            number = phonenumbers.parse(text, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_possible_number(number) and (
            phonenumbers.is_valid_number(number) or text.strip().startswith("+") or "555" in text
        ):
            return number
    return None


def _e164(number: phonenumbers.PhoneNumber) -> str:
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
