"""How a person can be reached: addresses, numbers, links and places."""

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote, urlsplit

import phonenumbers

from dibs.services.resumes.document import Box, Document
from dibs.services.resumes.profile import Account, Field, Place
from dibs.services.resumes.understanding.fields.making import make_field
from dibs.services.resumes.understanding.normal.places import has_street, judge_address, judge_place, read_place
from dibs.services.resumes.understanding.sections.rows import Piece, Row, join_pieces

_EMAIL = re.compile(r"[\w.+%-]+@(?:[\w-]+\.)+[a-z]{2,24}", re.IGNORECASE)
_URL = re.compile(
    r"(?:https?://|www\.)[^\s<>()|,]+|\b(?:[\w-]+\.)+(?:com|org|net|io|dev|me|co|de|fr|es|uk|eu|ch|at|app|tech|info|example|ai|design)(?:/[^\s<>()|,]*)?(?![\w@])",
    re.IGNORECASE,
)
_PHONE_LIKE = re.compile(r"(?<![\w/])\+?\(?\d[\d\s().\-/\u00a0\u2011]{6,20}\d(?!\w)")
_LABEL = re.compile(
    r"^(?:e-?mail|mail|phone|tel(?:efon|éfono|ephone|éphone)?|mobile?|mobil|handy|móvil|portable|cell|fax|web(?:site|seite)?|homepage|site(?: web)?|address|adresse|anschrift|dirección|location|ort|wohnort|lieu|ciudad|city|linkedin|github|url|residence|based in|lives in)\s*[.:]*\s+",
    re.IGNORECASE,
)  # fmt: skip
_NETWORKS = {
    "linkedin.com": "LinkedIn", "github.com": "GitHub", "gitlab.com": "GitLab", "twitter.com": "Twitter", "x.com": "X",
    "stackoverflow.com": "Stack Overflow", "facebook.com": "Facebook", "instagram.com": "Instagram", "xing.com": "XING",
    "medium.com": "Medium", "behance.net": "Behance", "dribbble.com": "Dribbble", "kaggle.com": "Kaggle",
    "youtube.com": "YouTube", "orcid.org": "ORCID", "researchgate.net": "ResearchGate", "mastodon.social": "Mastodon",
    "scholar.google.com": "Google Scholar", "bitbucket.org": "Bitbucket", "codepen.io": "CodePen", "leetcode.com": "LeetCode",
}  # fmt: skip
_REGIONS = {
    "en": ("US", "GB", "CA", "AU", "IN", "IE"),
    "de": ("DE", "AT", "CH"),
    "fr": ("FR", "BE", "CH", "CA"),
    "es": ("ES", "MX", "AR", "CO", "CL"),
}
_ICONS = r"[\u2190-\u2bff\ue000-\uf8ff\U0001f300-\U0001faff]"
_CUT = re.compile(rf"\s*{_ICONS}\s*|\s+[|•·●◦∙▪‖¦/]\s+|\s+[–—]\s+|\t|\s*\|\s*")


def find_emails(rows: Sequence[Row], document: Document) -> list[Field]:
    """Find addresses in links first: a link holds whole what a narrow column broke in two."""
    found = [
        Field(unquote(link[7:].split("?")[0]), 0.98, boxes)
        for link, boxes in _links(document)
        if link.lower().startswith("mailto:")
    ]
    for row in rows:
        found += [field for match in _EMAIL.finditer(row.text) if (field := make_field(row.cut(*match.span()), 0.97))]
    found += _broken_emails(rows) if not found else []
    return _unique([field for field in found if _EMAIL.fullmatch(field.value)])


def _broken_emails(rows: Sequence[Row]) -> list[Field]:
    for first, second in zip(rows, rows[1:], strict=False):
        tail, head = first.text.split()[-1:], second.text.split()[:1]
        if tail and head and "@" in tail[0] + head[0] and (match := _EMAIL.fullmatch(tail[0].rstrip("-") + head[0])):
            piece = Piece(match[0], (first.words[-1], second.words[0]))
            return [field] if (field := make_field(piece, 0.8)) else []
    return []


def _links(document: Document) -> Iterator[tuple[str, tuple[Box, ...]]]:
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
    found = [field for row in rows for field in _phones_in(row, regions)]
    for link, boxes in _links(document):
        if link.lower().startswith("tel:") and (number := _parse(unquote(link[4:]), regions)):
            shown = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
            found.append(Field(shown, 0.9, boxes, _e164(number)))
    seen: dict[str, Field] = {}
    for field in found:
        seen.setdefault(field.normal or re.sub(r"\D", "", field.value), field)
    return list(seen.values())


def _phones_in(row: Row, regions: Sequence[str]) -> Iterator[Field]:
    for match in _PHONE_LIKE.finditer(row.text):
        digits = re.sub(r"\D", "", match[0])
        if not 7 <= len(digits) <= 15 or _is_dates(row, match):  # noqa: PLR2004 - E.164
            continue
        number = _parse(match[0], regions)
        if field := make_field(
            row.cut(*match.span()), 0.97 if number else 0.75, normal=_e164(number) if number else None
        ):
            yield field


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


def find_sites(rows: Sequence[Row], document: Document) -> tuple[list[Account], list[Field]]:
    """Find profiles on known networks, and pages of the person's own."""
    found: dict[str, Field] = {}
    for piece in _join_broken(rows):
        text = _EMAIL.sub(lambda match: " " * len(match[0]), piece.text)
        for match in _URL.finditer(text):
            if field := make_field(piece.cut(match.start(), match.end()).strip("."), 0.9):
                found.setdefault(_address(field.value), field)
    boxes = {box for row in rows for box in row.boxes}
    for link, places in _links(document):
        if link.startswith("http") and (_network(link) or _is_among(places, boxes)):
            found[_address(link)] = Field(link, 0.95, places)
    accounts = [_account(field) for field in found.values() if _network(field.value)]
    return _distinct(accounts), [field for field in found.values() if not _network(field.value)]


def _join_broken(rows: Sequence[Row]) -> Iterator[Piece]:
    """Join an address that a narrow column broke behind a mark."""
    at = 0
    while at < len(rows):
        row, following = rows[at], rows[at + 1] if at + 1 < len(rows) else None
        broken = row.text.endswith(("-", "/", "_", ".")) and _URL.search(row.text)
        if broken and following is not None and len(following.words) == 1:
            yield Piece(row.text + following.text, (*row.words, *following.words))
            at += 2
        else:
            yield row
            at += 1


def _is_among(places: tuple[Box, ...], boxes: set[Box]) -> bool:
    return any(
        p.page == b.page and p.top < b.bottom and b.top < p.bottom and p.left < b.right and b.left < p.right
        for p in places
        for b in boxes
    )


def _address(url: str) -> str:
    return re.sub(r"^(?:https?://)?(?:www\.)?", "", url.casefold()).rstrip("/")


def _network(url: str) -> str | None:
    host = _address(url).split("/")[0]
    return next((name for known, name in _NETWORKS.items() if host == known or host.endswith("." + known)), None)


def _account(field: Field) -> Account:
    url = field.value if "://" in field.value else f"https://{field.value}"
    path = [
        part for part in urlsplit(url).path.split("/") if part not in ("", "in", "profile", "users", "pub", "people")
    ]
    username = Field(path[-1].lstrip("@"), 0.85, field.boxes) if path else None
    return Account(
        network=Field(_network(url) or "", 0.95, field.boxes),
        username=username,
        url=Field(url, field.confidence, field.boxes),
    )


def _distinct(accounts: list[Account]) -> list[Account]:
    seen: dict[str, Account] = {}
    for account in accounts:
        if account.network and account.username:
            seen.setdefault(account.network.value, account)
    return list(seen.values())


def find_location(rows: Sequence[Row]) -> Place | None:
    """Find the place that a person lives at: a line, or a part of one, that is a place and nothing else."""
    best: tuple[float, Piece] | None = None
    for index, part in enumerate(_location_parts(rows)):
        piece = part.strip(" |·•,;/")
        bare = piece.cut(match.end(), len(piece.text)) if (match := _LABEL.match(piece.text)) else piece
        score = (
            max(judge_place(bare.text), judge_address(bare.text))
            + 0.3 * has_street(bare.text)
            + 0.3 * bool(match)
            - 0.01 * index
        )
        if score >= 0.5 and (best is None or score > best[0]):  # noqa: PLR2004 - half a place
            best = (score, bare)
    return _make_place(*best) if best else None


def _location_parts(rows: Sequence[Row]) -> Iterator[Piece]:
    plain = [row for row in rows if not _EMAIL.search(row.text) or len(row.text) > 40]  # noqa: PLR2004 - an address alone
    for index, row in enumerate(plain):
        if has_street(row.text) and index + 1 < len(plain) and not _PHONE_LIKE.search(row.text):
            following = plain[index + 1]
            if judge_place(following.text) or re.search(r"\b\d{4,6}\b", following.text):
                joined = join_pieces([row, following])
                yield Piece(f"{row.text.rstrip(',')}, {following.text}", joined.words)
        for part in row.parts:
            at = 0
            for match in _CUT.finditer(part.text):
                yield part.cut(at, match.start())
                at = match.end()
            yield part.cut(at, len(part.text))


def _make_place(score: float, piece: Piece) -> Place:
    parts = read_place(piece.text)
    trust = min(0.93, 0.55 + 0.3 * score)

    def field(text: str | None, normal: str | None = None) -> Field | None:
        if not text:
            return None
        at = piece.text.find(text)
        return make_field(piece.cut(at, at + len(text)) if at >= 0 else piece, trust, value=normal or text)

    return Place(
        address=field(parts.address), postal_code=field(parts.postal_code), city=field(parts.city),
        region=field(parts.region), country_code=field(parts.country, parts.country_code),
    )  # fmt: skip
