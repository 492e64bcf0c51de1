"""Somebody follows every link, strays from it, and fills in every form oddly: whatever is answered, nothing breaks."""

import os
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from dibs.apps.postings.office import Office
from tests.apps.postings.conftest import keep, make_posting
from tests.server.conftest import enqueue
from tests.server.pages.conftest import PLACE, Outline

WHY = {"reason": "a test"}
CRON = {"type": "cron", "expression": "0 3 * * *", "zone": "Europe/Berlin"}
ODD = (
    "",
    " ",
    "\0",
    "a/b",
    "..",
    "100%",
    "?",
    "#",
    "\\",
    '"',
    "<b>",
    "{{7*7}}",
    "ä😀\u202e",
    "a" * 5_000,
    "true",
    "null",
)
ODD_NUMBERS = ("0", "-1", "1e400", "nan", "9" * 25, "9" * 5_000, "0001-01-01T00:00:00+14:00", "9999-12-31", "* * * * *")
ODD_PLACES = (
    "",
    "null",
    "//[",
    "http://[",
    "http://[::1",
    "http://a:99999999",
    "javascript:1",
    f"{PLACE}//evil.example",
)
HEADERS = ("Referer", "Origin", "Host", "Cookie", "HX-Request", "HX-Target", "If-None-Match", "Range", "Last-Event-ID")
NAMES = ("tenant", "cursor", "state", "queue", "since", "until", "action", "view", "board", "name", "job_id", "reason")
IS_RANDOM = os.environ.get("DIBS_HYPOTHESIS") == "random"
STEPS = 5_000 if IS_RANDOM else 300
SEED = random.SystemRandom().randrange(10**9) if IS_RANDOM else 7


class Rambler:
    """What it has seen of the pages, and what it does next."""

    def __init__(self, readers: tuple[httpx.AsyncClient, ...]) -> None:
        self._chance = random.Random(SEED)
        self._readers = readers
        self._links = {"/": False}
        self._forms: dict[tuple[str, tuple[str, ...]], dict[str, list[str]]] = {}

    @property
    def seen(self) -> set[str]:
        """Where it was."""
        return {link for link, is_known in self._links.items() if is_known}

    async def ramble(self) -> None:
        """Do the next thing."""
        acts = (self._follow, self._follow, self._stray, self._fill_in, self._fill_in)
        await self._chance.choice(acts)()

    async def _follow(self) -> None:
        """Go where nobody was before, the shortest way first: those are the pages, and others their lists."""
        fresh = sorted((one for one, is_known in self._links.items() if not is_known), key=len)
        link = fresh[0] if fresh else self._chance.choice(list(self._links))
        self._links[link] = True
        await self._ask("GET", link)

    async def _stray(self) -> None:
        parts = self._chance.choice(list(self._links)).partition("?")[0].split("/")
        parts[self._chance.randrange(1, len(parts))] = quote(self._pick_odd(), safe="")
        query = {self._chance.choice(NAMES): self._pick_odd() for _ in range(self._chance.randrange(3))}
        await self._ask("GET", f"{'/'.join(parts)}?{urlencode(query)}")

    async def _fill_in(self) -> None:
        (action, _), fields = self._chance.choice(list(self._forms.items()) or [(("/jobs/first", ()), {})])
        oddness = self._chance.choice((0.0, 0.2, 1.0))
        filled = {
            name: self._pick_odd() if self._chance.random() < oddness else self._chance.choice(values) or "because"
            for name, values in fields.items()
        }
        await self._ask("POST", action, urlencode(filled).encode())

    async def _ask(self, method: str, path: str, body: bytes = b"") -> None:
        headers = {"Origin": PLACE, "Content-Type": "application/x-www-form-urlencoded"}
        if self._chance.random() < 0.25:
            headers[self._chance.choice(HEADERS)] = self._chance.choice(ODD_PLACES)
        reader = self._chance.choice(self._readers)
        answered = await reader.request(method, path[:8_000], headers=headers, content=body)
        assert answered.status_code < 500, f"seed {SEED}: {method} {path} {headers} {body!r}: {answered.text[-500:]}"
        self._note_links([answered.headers.get("location", "")])
        if "html" in answered.headers.get("content-type", ""):
            self._learn(Outline(answered.text))

    def _note_links(self, addresses: list[str]) -> None:
        for one in addresses:
            if one.startswith("/") and not one.startswith("//") and not one.endswith("/events"):
                self._links.setdefault(one, False)

    def _learn(self, page: Outline) -> None:
        self._note_links(page.addresses())
        for action, fields in _find_forms(page):
            self._forms[action, tuple(fields)] = fields

    def _pick_odd(self) -> str:
        return self._chance.choice((*ODD, *ODD_NUMBERS))


def _find_forms(page: Outline) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Give each form's address, and what may be in its fields."""
    fields: dict[str, list[str]] = {}
    values: list[str] = []
    for tag, given in page.elements:
        if tag == "form":
            fields = {}
            yield given.get("action") or "/", fields
        elif tag == "option":
            values.append(given.get("value") or "")
        elif given.get("name"):
            values = fields.setdefault(str(given["name"]), [])
            values.append(given.get("value") or "")


@pytest.fixture(autouse=True)
def documents(tmp_path, monkeypatch):
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(tmp_path / "documents"))
    monkeypatch.setattr("dibs.services.resumes.uploads.actions.FIRST_SECONDS", 0.0)


@pytest.fixture
async def filled(engine, server, acme, operator, drain) -> None:
    """A house with one of each thing, and a resume that waits for its job."""
    await keep(Office(server.state.tables), make_posting(), make_posting("2"), tenant="acme")
    facts: dict[str, Any] = {"job_type": "PING", "timing": CRON, **WHY}
    await operator.put("/schedules/a%2Fb", json=facts, params={"tenant": "acme"})
    await operator.put("/sources/a%2Fb", json={"rate_limit_per_minute": 5, **WHY})
    await acme.post("/jobs", json={"job_type": "FAIL"})
    await drain()
    await enqueue(acme, source="a/b", queue="100%")
    await engine.enqueue("PING", {"text": "hello"}, id="a/b", tenant="acme")
    assert (await acme.post("/resumes", files={"file": ("ada.txt", b"Ada Byron")})).json()["state"] == "reading"


async def test_nothing_breaks_whatever_is_followed_or_filled_in(filled, reader, acme_reader, stranger):
    rambler = Rambler((reader, reader, acme_reader, stranger))
    for _ in range(STEPS):
        await rambler.ramble()
    assert {"/jobs", "/postings", "/resumes"} <= rambler.seen
