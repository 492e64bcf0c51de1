"""Habits of word processors, networks and scholars: paragraphs far apart, posts under one employer, what is cited."""

from datetime import date

import docx
import pytest

from dibs.services.resumes.profile import Profile
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.understanding import understand
from dibs.services.resumes.understanding.normal.degrees import find_degree
from dibs.services.resumes.understanding.normal.places import read_place
from dibs.services.resumes.understanding.normal.titles import judge_title
from tests.services.resumes.making import make_docx
from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write
from tests.services.resumes.understanding.test_habits import works


def bold(place: object, text: str) -> None:
    place.add_paragraph().add_run(text).bold = True  # type: ignore[attr-defined]


def understand_docx(data: bytes) -> Profile:
    return understand(read_document(data), today=date(2026, 11, 15))


def on_page(*lines: str) -> Profile:
    name = write("Ada Lovelace", 40, 20, size=22, bold=True)
    return parse(draw(name, stack(["ada@mail.example"], 40, 50), stack(lines, 40, 90)))


def test_title_employer_and_dates_in_paragraphs_that_stand_far_apart_are_one_entry():
    def fill(document: docx.document.Document) -> None:
        document.add_heading("Jordan Mitchell", 0)
        document.add_paragraph("jordan@mail.example")
        document.add_heading("Experience", 1)
        for title, employer, years in (
            ("Account Executive", "Contoso Ltd., Austin", "2016 – Present"),
            ("Sales Associate", "Litware, Inc., Dallas", "2012 – 2016"),
        ):
            bold(document, title)
            document.add_paragraph(employer)
            document.add_paragraph(years)
            document.add_paragraph("Grew the number of accounts by a third in two years.")

    found = understand_docx(make_docx(fill)).work
    assert [said(work.position, work.name, work.start_date) for work in found] == [
        ("Account Executive", "Contoso Ltd.", "2016"), ("Sales Associate", "Litware, Inc.", "2012")
    ]  # fmt: skip


def test_a_table_of_one_row_with_a_date_before_its_text_stays_a_row():
    def fill(document: docx.document.Document) -> None:
        document.add_paragraph("Lena Brandt")
        document.add_paragraph("lena.brandt@mail.example")
        outer = document.add_table(1, 2)
        left, right = outer.rows[0].cells
        bold(left, "EDUCATION")
        date_cell, entry = left.add_table(1, 2).rows[0].cells
        date_cell.text = "10/2009 – 08/2014"
        bold(entry, "BSc Civil Engineering")
        entry.add_paragraph("University of Leeds")
        bold(right, "SKILLS")
        for skill in ("AutoCAD", "Excel", "Statics"):
            right.add_paragraph(skill)

    (study,) = understand_docx(make_docx(fill)).education
    assert said(study.institution, study.start_date) == ("University of Leeds", "2009-10")


def test_posts_under_one_employer_whose_name_is_that_of_a_trade_belong_to_it():
    body = ["#Experience", "**Northwind Traders", "4 years 2 months", "**Senior Product Manager"]
    body += ["January 2021 - Present (2 years)", "- Grew it", "**Product Manager", "November 2018 - December 2020"]
    body += ["- Launched it", "", "**Fabrikam, Inc.", "**Business Analyst", "June 2015 - October 2018", "- Mapped it"]
    assert [work[:2] for work in works(on_page(*body))] == [
        ("Senior Product Manager", "Northwind Traders"),
        ("Product Manager", "Northwind Traders"),
        ("Business Analyst", "Fabrikam, Inc."),
    ]


def test_several_people_are_no_title():
    assert judge_title("Northwind Traders") < judge_title("Trader")


def test_a_line_of_names_that_ends_in_a_full_stop_is_no_sentence():
    line = "BSc Civil Engineering, Kwame Nkrumah University of Science and Technology, Kumasi."
    (study,) = on_page("#Education", "2010 - 2014", line).education
    assert said(study.study_type, study.institution) == (
        "BSc", "Kwame Nkrumah University of Science and Technology"
    )  # fmt: skip


def test_appointments_are_work_and_an_associate_professor_has_no_degree_by_that():
    profile = on_page(
        "#Academic Appointments", "2019 - present Associate Professor, University of Oslo", "#Languages", "English"
    )
    assert [said(work.position, work.name) for work in profile.work] == [("Associate Professor", "University of Oslo")]
    assert find_degree("Associate Professor") is None
    assert find_degree("Associate of Arts") is not None


def test_research_with_dates_from_when_to_when_is_work():
    profile = on_page(
        "#Experience", "**Engineer, Acme Ltd", "2018 - 2020", "#Research", "**Fellow, Robot Lab Ltd", "2014 - 2015"
    )
    assert len(profile.work) == 2


def test_what_scholars_cite_is_known_by_its_title():
    profile = on_page(
        "#Publications",
        "1. Lovelace A., Weber T. (2021). Halos revisited. Journal of Cosmology 12, 44-58.",
        "2. Weber T., Lovelace A. (2018). A small lens. Physical Letters 8, 1-9.",
    )
    assert [said(one.name, one.publisher, one.release_date) for one in profile.publications] == [
        ("Halos revisited", "Journal of Cosmology", "2021"), ("A small lens", "Physical Letters", "2018")
    ]  # fmt: skip


def test_a_thesis_is_no_part_of_its_school():
    (study,) = on_page("#Education", "**PhD in Physics, ETH Zürich. Thesis: Dark matter", "2011 - 2015").education
    assert said(study.institution) == ("ETH Zürich",)


@pytest.mark.parametrize("phone", ["(718) 555–0100", "(718) 555-0100"])
def test_a_phone_number_may_have_the_dash_that_word_processors_make(phone: str):
    assert said(on_page(phone, "#Skills", "Excel, SQL").basics.phone) == (phone,)


def test_a_state_with_the_name_of_a_town_behind_a_town_is_the_state():
    assert read_place("4567 Main Street, Buffalo, New York 98052").city == "Buffalo"


def test_degrees_in_a_list_without_dates_are_entries_that_may_go_on_in_the_next_line():
    body = ["#Education", "- BSc in Finance, Nanyang Technological", "  University", "- Linear Algebra", "- Databases"]
    body += ["- Bachelor of Arts in Accounting, National", "  University of Singapore"]
    found = on_page(*body).education
    assert [said(study.study_type, study.area, study.institution) for study in found] == [
        ("BSc", "Finance", "Nanyang Technological University"),
        ("Bachelor of Arts", "Accounting", "National University of Singapore"),
    ]
    assert [said(*study.courses) for study in found] == [("Linear Algebra", "Databases"), ()]


@pytest.mark.parametrize("line", ["Ciudad de México", "Ciudad: Puebla", "City: Żabianka Wielka"])
def test_the_name_of_a_line_is_told_from_the_beginning_of_a_town(line: str):
    place = on_page(line, "#Skills", "Excel, SQL").basics.location
    assert place is not None
    assert said(place.city) == (line.rpartition(": ")[2],)


def test_a_subject_beside_a_degree_is_no_school_where_none_is_named():
    (study,) = on_page("#Education", "Completed in June 2008", "Supply Chain Management – PhD").education
    assert said(study.institution, study.study_type, study.area) == (None, "PhD", "Supply Chain Management")


NAMES = (
    "अमित शर्मा", "สมชาย ใจดี", "María de los Ángeles Gómez", "Robert “Bob” Jones", "Bob (Robert) Jones",
    "Γιώργος Παπαδόπουλος", "محمد العلي", "김민수", "Nguyễn Thị Minh Khai", "Ana-Maria Ștefănescu",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_in_many_scripts_are_found_where_no_address_tells_them(name: str):
    profile = parse(
        draw(write(name, 40, 20, size=22, bold=True), stack(["office@mail.example", "#Skills", "SQL, Excel"], 40, 60))
    )
    assert said(profile.basics.name) == (name,)


def test_what_a_doctor_is_a_doctor_of_is_no_part_of_the_name():
    profile = parse(
        draw(write("Dr. med. Eva Klein", 40, 20, size=22, bold=True), stack(["office@mail.example"], 40, 60))
    )
    assert said(profile.basics.name) == ("Eva Klein",)


def test_languages_that_people_speak_are_told_from_others_among_the_skills():
    profile = on_page("#Skills", "Tools: Docker, Kafka", "Languages: Korean, English", "Languages: Python, Rust")
    assert [said(one.language) for one in profile.languages] == [("Korean",), ("English",)]
    listed = [said(*skill.keywords) for skill in profile.skills]
    assert listed == [("Docker", "Kafka"), ("Python", "Rust")]


def test_the_code_of_a_country_in_brackets_is_part_of_the_number():
    phone = on_page("(+81) 90-1234-5678", "#Skills", "Excel, SQL").basics.phone
    assert phone is not None
    assert (phone.value, phone.normal) == ("(+81) 90-1234-5678", "+819012345678")
