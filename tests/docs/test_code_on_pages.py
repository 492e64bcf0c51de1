"""The code on a page runs, and does what the page says."""

import asyncio
import sys

import pytest

from dibs.testing.stores.postgres import PostgresStore
from tests.docs.pages import DOCS, MAIN, check_run, lay_out, read_blocks

# These two are run by tests/testing: they are tests themselves.
ELSEWHERE = {"test-your-tasks.md", "test-on-real-servers.md"}
PAGES = [page for page in sorted((DOCS / "how-to").glob("*.md")) if page.name not in ELSEWHERE]
PAGES.append(DOCS / "reference" / "tasks.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_on_a_page_runs(page, tmp_path):
    if not any(block.language == "python" for block in read_blocks(page)):
        return
    lay_out(page, tmp_path)
    check_run(tmp_path, sys.executable, "-W", "error", tmp_path / MAIN)


async def empty(url):
    """Forget what other tests have left in the usual schema."""
    store = await PostgresStore.start(url)
    await store.reset()
    await store.close()


def test_on_postgresql_two_urls_are_different_and_nothing_else(tmp_path, postgres_url):
    asyncio.run(empty(postgres_url))
    lay_out(DOCS / "how-to" / "enqueue-with-sqlalchemy.md", tmp_path)
    shop = tmp_path / "shop.py"
    text = shop.read_text()
    for ours, theirs in (("sqlite:///", "postgresql://"), ("sqlite+aiosqlite:///", "postgresql+asyncpg://")):
        place = f'"{ours}shop.db"'
        assert place in text
        text = text.replace(place, f'"{postgres_url.replace("postgresql://", theirs)}"')
    shop.write_text(text)
    check_run(tmp_path, sys.executable, "-W", "error", tmp_path / MAIN)
