"""What a narrow sidebar breaks in two: headings, dates, items, names and addresses."""

import pytest

from dibs.services.resumes.document import Box, Link, Word
from dibs.services.resumes.profile import Profile
from dibs.services.resumes.understanding.layout.judging import group_labels
from dibs.services.resumes.understanding.layout.segments import find_segments
from dibs.services.resumes.understanding.normal.dates import find_broken, find_dates
from tests.services.resumes.understanding.drawing import draw, parse, read, said, stack, write
from tests.services.resumes.understanding.test_habits import JOB, SCHOOL, skills

CONTACT = ["#Contact", "ada@mail.example", "+44 20 7946 0018", "London"]


def beside(side: list[str], *, links: tuple[Link, ...] = (), body: tuple[str, ...] = (*JOB, "", *SCHOOL)) -> Profile:
    """Read a page with a sidebar on the left of the usual text."""
    name = write("Ada Lovelace", 200, 30, size=22, bold=True)
    return parse(draw(name, stack(side, 40, 70), stack(body, 200, 70), links=links))


@pytest.mark.parametrize("heading", [["#Technical", "#Skills"], ["#Skills &", "#Tools"], ["#Core", "#Competencies"]])
def test_a_heading_may_take_two_lines_of_a_sidebar(heading: list[str]):
    profile = beside(
        [*CONTACT, "", *heading, "Kubernetes", "Terraform", "", "#Language", "#Skills", "English", "French"]
    )
    assert skills(profile) == ["Kubernetes", "Terraform"]
    assert [said(one.language) for one in profile.languages] == [("English",), ("French",)]


def test_two_headings_with_white_between_them_are_two():
    profile = beside([*CONTACT, "", "#Language", "", "#Skills", "Kubernetes", "Terraform"])
    assert skills(profile) == ["Kubernetes", "Terraform"]


@pytest.mark.parametrize(
    ("above", "below", "moved"),
    [
        ("Developer | Northwind Ltd | Leeds | March", "2019 – May 2021", "March"),
        ("Northwind Ltd – Developer (March 2019 –", "May 2021)", "March 2019 –"),
        ("Northwind Ltd – Developer (March 2019 – May", "2021)", "March 2019 – May"),
        ("septiembre", "2015 – febrero", "septiembre"),
        ("diciembre 2021", "– marzo 2026", "diciembre 2021"),
        ("Developer since May", "2019, Leeds", "since May"),
    ],
)
def test_a_date_that_the_end_of_a_line_broke_is_found(above: str, below: str, moved: str):
    at = find_broken(above, below)
    assert at is not None
    assert above[at:] == moved


@pytest.mark.parametrize(
    ("above", "below"),
    [("Told of it in May", "Northwind Ltd"), ("March 2019 – May 2021", "2021 – 2023"), ("2019", "– Wrote the parser")],
)
def test_whole_dates_and_other_lines_are_left_as_they_are(above: str, below: str):
    assert find_broken(above, below) is None


def test_a_broken_date_is_read_whole():
    lines = ["#Experience", "Developer | Northwind Ltd | Leeds | March", "2019 – May 2021", "- Wrote the parser"]
    work = beside(CONTACT, body=(*lines, "", *SCHOOL)).work[0]
    assert said(work.start_date, work.end_date) == ("2019-03", "2021-05")


def test_the_dash_of_a_range_is_no_list_mark():
    cells = [word for text, top in (("March 2019", 70), ("– May 2021", 84)) for word in write(text, 40, top)]
    assert read(draw(iter(cells))) == ["March 2019 – May 2021"]


@pytest.mark.parametrize("text", ["Summer 2019", "Q3 2019", "Wintersemester 2019", "été 2019"])
def test_a_season_or_a_quarter_says_no_month(text: str):
    assert [str(span.stop) for span in find_dates(text)] == ["2019"]


def test_an_item_goes_on_where_the_next_word_found_no_room():
    items = ["- Certified Emergency", "  Nurse", "- Basic Life Support"]
    words = [*stack(["#Certifications", items[0], "", items[2]], 40, 160), *write("Nurse", 52, 188)]
    name = write("Ada Lovelace", 200, 30, size=22, bold=True)
    page = draw(name, stack(CONTACT, 40, 70), iter(words), stack([*JOB, "", *SCHOOL], 200, 70))
    assert [said(one.name) for one in parse(page).certificates] == [
        ("Certified Emergency Nurse",), ("Basic Life Support",)
    ]  # fmt: skip


def test_who_issued_it_may_stand_under_an_item_with_room_beside_it():
    words: list[Word] = [*stack(["#Certifications", "- First Aid", "", "- Certified Emergency Nurse of York"], 40, 160)]
    words += write("Red Cross", 52, 188)
    name = write("Ada Lovelace", 300, 30, size=22, bold=True)
    page = draw(name, stack(CONTACT, 40, 70), iter(words), stack([*JOB, "", *SCHOOL], 300, 70))
    assert said(parse(page).certificates[0].name) == ("First Aid",)


def test_the_name_of_a_school_may_go_on_under_its_date():
    words = [*stack(["#Education", "**McMaster", "**University", "B.Sc. Tourism"], 40, 160), *write("2005", 100, 174)]
    name = write("Ada Lovelace", 200, 30, size=22, bold=True)
    study = parse(draw(name, stack(CONTACT, 40, 70), iter(words), stack(JOB, 200, 70))).education[0]
    assert said(study.institution, study.end_date) == ("McMaster University", "2005")


def test_no_name_ends_with_of_or_in():
    side = ["#Education", "B.A., Supply Chain", "Management", "Delft University of", "Technology", "2013 – 2015", ""]
    side += ["MSc, Logistics", "University of Leeds", "2011 – 2013"]
    studies = beside([*CONTACT, "", *side], body=tuple(JOB)).education
    assert [said(one.study_type, one.institution) for one in studies] == [
        ("B.A.", "Delft University of Technology"), ("MSc", "University of Leeds")
    ]  # fmt: skip


def test_the_dash_of_a_range_in_a_margin_goes_on_with_its_label():
    cells = [("March 2019", 70), ("– May 2021", 84), ("Leeds", 98), ("June 2015", 140), ("– March 2019", 154)]
    segments = find_segments([word for text, top in cells for word in write(text, 40, top)])
    assert [len(label) for label in group_labels(segments)] == [3, 2]


def test_contacts_at_the_foot_of_a_sidebar_are_no_interests():
    side = ["#Interests", "Chess, Pottery", "", "ada@mail.example", "+44 20 7946 0018", "Birmingham", "ada.example.org"]
    profile = beside(side)
    place = profile.basics.location
    assert said(place.city if place else None, profile.basics.url) == ("Birmingham", "ada.example.org")
    assert [said(one.name) for one in profile.interests] == [("Chess",), ("Pottery",)]


def test_the_rest_of_a_broken_address_is_no_page():
    target = "mailto:ada.lovelace@post.example.net"
    link = Link(target, Box(1, 40, 84, 140, 112))
    profile = beside(["#Contact", "ada.lovelace@post.exa", "mple.net", "+44 20 7946 0018", "London"], links=(link,))
    assert said(profile.basics.email, profile.basics.url) == ("ada.lovelace@post.example.net", None)
