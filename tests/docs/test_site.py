"""The documentation as a site: whole, and without asking anybody for anything."""

from pathlib import Path, PurePosixPath

import pytest

from docs.site.building import build, gather
from docs.site.checking import find_faults
from docs.site.page import lead
from docs.site.reading import BadPage, read_page
from docs.site.shelves import arrange
from tests.docs.pages import DOCS, HOUSE


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("site")
    build(folder)
    return folder


def write(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_every_link_and_anchor_leads_somewhere_and_nothing_is_fetched_from_elsewhere(site):
    assert find_faults(site) == []


def test_a_site_in_a_folder_named_from_here_is_checked_as_well(site, monkeypatch):
    monkeypatch.chdir(site.parent)
    assert find_faults(Path(site.name)) == []


def test_every_page_of_the_documentation_is_in_the_menu(site):
    pages = gather(HOUSE)
    shown = {page.path for shelf in arrange(pages) for page in (shelf.index, *(one for _, one in shelf.pages))}
    assert {PurePosixPath(file.relative_to(HOUSE)) for file in DOCS.rglob("*.md")} <= shown


def test_what_readers_are_not_meant_to_see_is_not_on_the_site(site):
    assert "asyncio.run(prove())" in (DOCS / "how-to" / "watch-what-happens.md").read_text()
    assert "prove()" not in (site / "docs/how-to/watch-what-happens.html").read_text()


def test_the_site_names_no_place_on_the_machine_that_built_it(site):
    assert [file for file in site.rglob("*.html") if str(HOUSE) in file.read_text()] == []


@pytest.mark.parametrize(
    ("markup", "fault"),
    [
        ('<a href="gone.html">', "gone.html is not there"),
        ('<ul id="found"></ul><h3 id="found">Found</h3>', "two things are called #found"),
        ('<a href="other.html#nothing">', "nothing on it is called #nothing"),
        ('<a href="#nowhere">', "nothing on it is called #nowhere"),
        ('<script src="https://cdn.example/a.js"></script>', "is fetched from elsewhere"),
        ('<img src="//cdn.example/a.png">', "is fetched from elsewhere"),
        ('<link rel="stylesheet" href="https://fonts.example/a.css">', "is fetched from elsewhere"),
    ],
)
def test_a_fault_of_a_page_is_found(tmp_path, markup, fault):
    write(tmp_path, "other.html", '<p id="something">')
    write(tmp_path, "page.html", markup)
    (found,) = find_faults(tmp_path)
    assert found.startswith("page.html: ")
    assert found.endswith(fault)


def test_a_link_to_somewhere_else_is_only_followed_by_people(tmp_path):
    write(tmp_path, "page.html", '<a href="https://example.org/#part">')
    assert find_faults(tmp_path) == []


def test_a_style_that_fetches_is_found(tmp_path):
    write(tmp_path, "site.css", "@import 'https://fonts.example/a.css';")
    assert find_faults(tmp_path) == ["site.css: fetches something"]


def test_links_to_files_become_links_to_pages(tmp_path):
    write(tmp_path, "docs/a.md", "# A\n\n[b](../b.py) [c](c/README.md#part) [c](c) [x](https://example.org)\n")
    write(tmp_path, "docs/c/README.md", "# C\n")
    write(tmp_path, "b.py", "print(1 < 2)\n")
    page = read_page(tmp_path, PurePosixPath("docs/a.md"))
    for link in ('"../b.py.html"', '"c/index.html#part"', '"c/index.html"', '"https://example.org"'):
        assert f"href={link}" in page.body
    assert "<h1>b.py</h1>" in read_page(tmp_path, PurePosixPath("b.py")).body


def test_two_headings_of_one_name_have_two_anchors(tmp_path):
    write(tmp_path, "a.md", "# A\n\n## Lease's `token`?\n\nfirst\n\n## Lease's `token`?\n\nsecond\n")
    page = read_page(tmp_path, PurePosixPath("a.md"))
    assert [heading.anchor for heading in page.headings] == ["a", "leases-token", "leases-token-1"]
    assert [section.text for section in page.sections] == ["", "first", "second"]


@pytest.mark.parametrize("text", ["# A\n\n[b](b.md)\n", "# A\n\n<script>alert(1)</script>\n", "no heading\n"])
def test_a_page_that_cannot_be_right_is_refused_by_name(tmp_path, text):
    write(tmp_path, "a.md", text)
    with pytest.raises(BadPage, match=r"a\.md"):
        read_page(tmp_path, PurePosixPath("a.md"))


@pytest.mark.parametrize(
    ("origin", "target", "way"),
    [
        ("index.html", "docs/a.html", "docs/a.html"),
        ("docs/a.html", "docs/b.html", "b.html"),
        ("docs/how-to/a.html", "docs/reference/b.html", "../reference/b.html"),
        ("docs/how-to/a.html", "index.html", "../../index.html"),
        ("docs/a.html", "docs/a.html", "a.html"),
    ],
)
def test_the_way_from_one_page_to_another_needs_no_root(origin, target, way):
    assert lead(PurePosixPath(origin), PurePosixPath(target)) == way
