"""Style sheets from the net are taken from npm, so that a theme is printed as people see it."""

from pathlib import Path

import pytest

from evals.resumes.foreign.sheets import find_sheet, localise


def lay(folder: Path, name: str) -> Path:
    file = folder / "node_modules" / name
    file.parent.mkdir(parents=True)
    file.write_text("", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("bootswatch.com/lumen/bootstrap.min.css", "bootswatch/lumen/bootstrap.min.css"),
        ("maxcdn.bootstrapcdn.com/bootswatch/3.3.7/yeti/bootstrap.min.css", "bootswatch/yeti/bootstrap.min.css"),
        ("maxcdn.bootstrapcdn.com/bootstrap/3.2.0/css/bootstrap.css", "bootstrap/dist/css/bootstrap.min.css"),
        ("cdnjs.example/ajax/libs/bulma/0.7.1/css/bulma.min.css", "bulma/css/bulma.min.css"),
    ],
)
def test_a_sheet_is_known_by_its_address(address: str, name: str, tmp_path: Path):
    assert find_sheet(address, tmp_path) is None
    file = lay(tmp_path, name)
    assert find_sheet(address, tmp_path) == file


def test_only_known_sheets_are_swapped_and_the_page_itself_stays(tmp_path: Path):
    sheet = lay(tmp_path, "bootswatch/lumen/bootstrap.min.css")
    page = tmp_path / "page.html"
    text = '<link href="//bootswatch.com/lumen/bootstrap.min.css"><link href="//fonts.example/a.css">'
    page.write_text(text, encoding="utf-8")
    shown = localise(page, tmp_path)
    assert sheet.resolve().as_uri() in shown.read_text(encoding="utf-8")
    assert "//fonts.example/a.css" in shown.read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8") == text


def test_a_page_without_such_sheets_is_shown_as_it_is(tmp_path: Path):
    page = tmp_path / "page.html"
    page.write_text("<p>Ada</p>", encoding="utf-8")
    assert localise(page, tmp_path) == page
