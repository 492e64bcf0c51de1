"""A page that no index lists is a page that nobody finds."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SHELVES = ["tutorials", "how-to", "reference", "explanation", "decisions"]


def find_links(page: Path) -> set[str]:
    return {link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text())}


@pytest.mark.parametrize("shelf", SHELVES)
def test_every_page_of_a_shelf_is_in_its_index(shelf):
    pages = {path.name for path in (DOCS / shelf).glob("*.md")} - {"README.md"}
    assert pages <= find_links(DOCS / shelf / "README.md")


def test_every_relative_link_leads_somewhere():
    broken = []
    for page in [*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md")]:
        for link in find_links(page):
            if "://" not in link and not link.startswith("mailto:") and link:
                target = page.parent / link
                broken += [] if target.exists() else [f"{page.relative_to(DOCS.parent)}: {link}"]
    assert broken == []


def test_every_source_file_that_a_page_names_exists():
    source = DOCS.parent / "src" / "dibs"
    missing = []
    for page in [*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md")]:
        named = re.findall(r"`((?:engine|backends|kit|outside|storage|access)/[\w/.]*)(?:: \w+)?`", page.read_text())
        missing += [f"{page.relative_to(DOCS.parent)}: {path}" for path in named if not (source / path).exists()]
    assert missing == []
