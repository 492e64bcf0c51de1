"""Readers of pages, without a browser."""

from collections.abc import AsyncIterator
from html.parser import HTMLParser

import httpx
import pytest

from tests.server.keys import ACME, OPERATOR

HTML = {"Accept": "text/html"}
PLACE = "http://localhost:8470"


def read_as(server, key: str | None) -> httpx.AsyncClient:
    headers = HTML if key is None else {**HTML, "Authorization": f"Bearer {key}"}
    transport = httpx.ASGITransport(server, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=PLACE, headers=headers)


@pytest.fixture(autouse=True)
async def _quiet(server) -> AsyncIterator[None]:
    yield
    await server.state.chronicle.close()
    await server.state.cached.close()


@pytest.fixture
async def reader(server) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody of the installation, who may do everything."""
    async with read_as(server, OPERATOR) as client:
        yield client


@pytest.fixture
async def acme_reader(server) -> AsyncIterator[httpx.AsyncClient]:
    async with read_as(server, ACME) as client:
        yield client


@pytest.fixture
async def stranger(server) -> AsyncIterator[httpx.AsyncClient]:
    async with read_as(server, None) as client:
        yield client


class Outline(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def addresses(self) -> list[str]:
        names = ("href", "src", "action", "hx-get")
        return [value for _, given in self.elements for name in names if (value := given.get(name)) is not None]
