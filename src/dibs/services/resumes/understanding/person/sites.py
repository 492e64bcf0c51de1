"""Profiles on known networks, and pages of the person's own."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from dibs.services.resumes.document import Box, Document
from dibs.services.resumes.profile import Account, Field
from dibs.services.resumes.understanding.fields.making import make_field
from dibs.services.resumes.understanding.person.contact import EMAIL, list_links
from dibs.services.resumes.understanding.person.mending import join_broken
from dibs.services.resumes.understanding.sections.rows import Row

_MAP = re.compile(r"//(?:www\.)?(?:google\.[\w.]+/maps|maps\.|openstreetmap\.)", re.IGNORECASE)
_NETWORKS = {
    "linkedin.com": "LinkedIn", "github.com": "GitHub", "gitlab.com": "GitLab", "twitter.com": "Twitter", "x.com": "X",
    "stackoverflow.com": "Stack Overflow", "facebook.com": "Facebook", "instagram.com": "Instagram", "xing.com": "XING",
    "medium.com": "Medium", "behance.net": "Behance", "dribbble.com": "Dribbble", "kaggle.com": "Kaggle",
    "youtube.com": "YouTube", "orcid.org": "ORCID", "researchgate.net": "ResearchGate", "mastodon.social": "Mastodon",
    "scholar.google.com": "Google Scholar", "bitbucket.org": "Bitbucket", "codepen.io": "CodePen", "leetcode.com": "LeetCode",
    "soundcloud.com": "SoundCloud", "vimeo.com": "Vimeo", "dev.to": "DEV", "hackerrank.com": "HackerRank", "bsky.app": "Bluesky",
    "codeberg.org": "Codeberg", "sourceforge.net": "SourceForge", "speakerdeck.com": "Speaker Deck",
    "pinterest.com": "Pinterest", "tumblr.com": "Tumblr", "t.me": "Telegram", "flickr.com": "Flickr", "artstation.com": "ArtStation",
    "academia.edu": "Academia.edu", "huggingface.co": "Hugging Face", "threads.net": "Threads", "tiktok.com": "TikTok",
}  # fmt: skip
_ENDINGS = "com|org|net|io|dev|me|co|de|fr|es|uk|eu|ch|at|app|tech|info|example|ai|design"
_HOST = rf"(?:[\w-]+\.)+(?:{_ENDINGS})|(?:[\w-]+\.)*(?:{'|'.join(map(re.escape, _NETWORKS))})"
_URL = re.compile(
    rf"(?:https?://|www\.)[^\s<>()|,\x22]+|(?<![@\w.-])(?:{_HOST})(?:/[^\s<>()|,\x22]*)?(?![\w@])",
    re.IGNORECASE,
)


def find_sites(rows: Sequence[Row], document: Document) -> tuple[list[Account], list[Field]]:
    """Find profiles on known networks, and pages of the person's own."""
    found: dict[str, Field] = {}
    whole = {_address(link.removeprefix("mailto:")) for link, _ in list_links(document)}
    for piece in join_broken(rows):
        text = EMAIL.sub(lambda match: " " * len(match[0]), piece.text)
        for match in _URL.finditer(text):
            field = make_field(piece.cut(match.start(), match.end()).strip("."), 0.9)
            if field and not _is_piece(_address(field.value), whole):
                found.setdefault(_address(field.value), field)
    boxes = {box for row in rows for box in row.boxes}
    for link, places in list_links(document):
        if link.startswith("http") and not _MAP.search(link) and (_network(link) or _is_among(places, boxes)):
            found[_address(link)] = Field(link, 0.95, places)
    accounts = [_account(field) for field in found.values() if _network(field.value)]
    return _distinct(accounts), [field for field in found.values() if not _network(field.value)]


def _is_piece(address: str, whole: set[str]) -> bool:
    """Tell whether a line's end broke an address inside a word, of which links tell how it goes on or began."""
    return any(
        (link.endswith(address) and link[-len(address) - 1].isalnum())
        or (link.startswith(address) and link[len(address)].isalnum())
        for link in whole
        if len(link) > len(address)
    )


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
