"""A scan is asked for what its page shows, and for all of that."""

from io import BytesIO
from typing import Any

import pytest
from reportlab.pdfgen import canvas

from evals.resumes.printed import cut_to_print, cut_to_text

TRUTH: dict[str, Any] = {
    "basics": {
        "name": "Ada Lovelace",
        "email": "ada@mail.example",
        "location": {"city": "Austin, TX", "countryCode": "US"},
        "profiles": [{"network": "GitHub", "url": "https://github.com/ada-lovelace"}],
        "url": "https://lovelace.example.org",
    },
    "work": [{"name": "Helix Labs", "position": "Engineer", "startDate": "2019-04", "endDate": None}],
    "skills": [{"name": "Tools", "keywords": ["Python", "SQL"]}, {"name": "Methods", "keywords": ["Scrum"]}],
}
PAGE = "ADA LOVELACE\nada@mail.example Austin, TX\nHelix Labs Engineer April 2019 to today\nTools Python SQL"


def test_an_address_behind_a_word_is_not_expected_of_a_scan():
    cut = cut_to_text(TRUTH, f"{PAGE} GitHub Website")
    assert "url" not in cut["basics"]
    assert not any("url" in profile for profile in cut["basics"]["profiles"])


@pytest.mark.parametrize(
    "shown", ["github.com/ada-lovelace", "https://github.com/ada-\nlovelace", "GITHUB.COM/ADA-LOVELACE"]
)
def test_an_address_that_is_printed_is_expected_also_over_two_lines(shown):
    assert cut_to_text(TRUTH, f"{PAGE}\n{shown}")["basics"]["profiles"] == TRUTH["basics"]["profiles"]


def test_an_address_that_another_column_runs_through_is_still_expected():
    cut = cut_to_text(TRUTH, f"{PAGE}\ngithub.com/ada-lovela Engineer\nce Leeds")
    assert cut["basics"]["profiles"] == TRUTH["basics"]["profiles"]


def test_every_other_field_is_cut_by_the_same_rule():
    cut = cut_to_text(TRUTH, PAGE)
    assert cut["skills"] == [{"name": "Tools", "keywords": ["Python", "SQL"]}]
    assert cut["work"] == [{"name": "Helix Labs", "position": "Engineer", "startDate": "2019-04"}]
    assert cut["basics"]["location"] == TRUTH["basics"]["location"]
    assert cut_to_text(TRUTH, PAGE.replace("2019", ""))["work"] == [{"name": "Helix Labs", "position": "Engineer"}]


def test_a_text_without_the_name_is_not_trusted():
    assert cut_to_text(TRUTH, "•••• ••••") == TRUTH


def test_the_text_of_the_printed_page_decides_and_not_its_links(tmp_path):
    buffer = BytesIO()
    paper = canvas.Canvas(buffer)
    for row, line in enumerate(PAGE.splitlines()):
        paper.drawString(50, 700 - 20 * row, line)
    paper.drawString(50, 500, "GitHub")
    paper.linkURL("https://github.com/ada-lovelace", (50, 490, 100, 520))
    paper.save()
    file = tmp_path / "page.pdf"
    file.write_bytes(buffer.getvalue())
    cut = cut_to_print(TRUTH, file)
    assert not any("url" in profile for profile in cut["basics"]["profiles"])
    assert cut["basics"]["email"] == "ada@mail.example"
