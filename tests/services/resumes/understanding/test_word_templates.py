"""Templates that come with word processors: what stands in tables, margins and symbols."""

from typing import Any

import pytest

from dibs.services.resumes.profile import Profile
from tests.services.resumes.making import make_docx
from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write
from tests.services.resumes.understanding.test_word_habits import bold, understand_docx


def add_entry(document: Any) -> None:
    document.add_heading("Experience", 1)
    bold(document, "Pharmacist, Juhel Ltd.")
    document.add_paragraph("2015 – 2019")


def test_contacts_in_the_footer_are_the_persons():
    def fill(document: Any) -> None:
        document.add_heading("Oluwaseun Adebayo", 0)
        add_entry(document)
        foot = document.sections[0].footer.paragraphs[0]
        foot.add_run("o.adebayo@mail.example   +234 803 555 0142   14 Bodija Road, Ibadan   LinkedIn")

    basics = understand_docx(make_docx(fill)).basics
    assert said(basics.email, basics.phone) == ("o.adebayo@mail.example", "+234 803 555 0142")
    assert basics.location
    assert said(basics.location.city, basics.location.address) == ("Ibadan", "14 Bodija Road")


def test_a_mail_address_that_is_cut_behind_its_last_dot_is_put_together():
    lines = ["+49 711 5550199", "k.woehrle@briefkasten.exam", "ple", "Stuttgart"]
    page = draw(write("Kai Wöhrle", 40, 20, size=22, bold=True), stack(lines, 40, 60))
    assert said(parse(page).basics.email) == ("k.woehrle@briefkasten.example",)


WORKS = (
    ("Straits Cold Logistics", "Supply Chain Manager", "Aug 2020 – Present", "Singapore"),
    ("Harbourfront Foods", "Demand Planner", "Feb 2016 – Jul 2020", "Jakarta"),
)


def add_noted(place: Any, work: tuple[str, str, str, str]) -> None:
    """Fill a row: what somebody did at the left, when and where at the right."""
    text, notes = place.cells
    text.text = work[0]
    text.add_paragraph(work[1])
    text.add_paragraph("Moved forty suppliers to weekly forecasts.", style="List Bullet")
    notes.text = work[2]
    notes.add_paragraph(work[3])


def list_works(data: bytes) -> list[tuple[str | None, ...]]:
    found = understand_docx(data).work
    return [said(work.name, work.position, work.start_date, work.location) for work in found]


def test_dates_and_places_in_a_cell_at_the_right_belong_to_the_entry_beside_them():
    def fill(document: Any) -> None:
        document.add_heading("Mei-Ling Tan", 0)
        document.add_heading("Experience", 1)
        table = document.add_table(0, 2)
        for work in WORKS:
            add_noted(table.add_row(), work)

    assert list_works(make_docx(fill)) == [
        ("Straits Cold Logistics", "Supply Chain Manager", "2020-08", "Singapore"),
        ("Harbourfront Foods", "Demand Planner", "2016-02", "Jakarta"),
    ]


def test_a_place_in_the_last_of_three_cells_belongs_to_the_entry_beside_it():
    def fill(document: Any) -> None:
        document.add_heading("Mei-Ling Tan", 0)
        document.add_heading("Experience", 1)
        table = document.add_table(0, 3)
        for name, title, dates, town in WORKS:
            first, second, third = table.add_row().cells
            first.text, third.text = dates, town
            bold(second, title)
            second.add_paragraph(name)

    assert list_works(make_docx(fill)) == [
        ("Straits Cold Logistics", "Supply Chain Manager", "2020-08", "Singapore"),
        ("Harbourfront Foods", "Demand Planner", "2016-02", "Jakarta"),
    ]


def test_dates_in_the_last_of_three_cells_belong_to_the_entry_beside_them():
    def fill(document: Any) -> None:
        document.add_heading("Mei-Ling Tan", 0)
        document.add_heading("Experience", 1)
        table = document.add_table(0, 3)
        for name, title, dates, town in WORKS:
            first, second, third = table.add_row().cells
            first.text, third.text = name, dates
            first.add_paragraph(town)
            bold(second, title)
            for _ in range(3 if name == WORKS[0][0] else 1):
                second.add_paragraph("Planned what the house would need next year", style="List Bullet")

    assert [work[:3] for work in list_works(make_docx(fill))] == [
        ("Straits Cold Logistics", "Supply Chain Manager", "2020-08"),
        ("Harbourfront Foods", "Demand Planner", "2016-02"),
    ]


def test_an_entry_in_a_table_of_its_own_keeps_the_dates_at_its_right():
    def fill(document: Any) -> None:
        document.add_heading("Mei-Ling Tan", 0)
        document.add_heading("Experience", 1)
        for work in WORKS:
            add_noted(document.add_table(1, 2).rows[0], work)
            document.add_paragraph()

    assert [work[:3] for work in list_works(make_docx(fill))] == [
        ("Straits Cold Logistics", "Supply Chain Manager", "2020-08"),
        ("Harbourfront Foods", "Demand Planner", "2016-02"),
    ]


def test_an_address_ends_at_a_quotation_mark():
    lines = ['HYPERLINK "https://linkedin.com/in/kaiw"linkedin.com/in/kaiw', "kai@mail.example"]
    page = draw(write("Kai Wöhrle", 40, 20, size=22, bold=True), stack(lines, 40, 60))
    assert said(*(account.url for account in parse(page).basics.profiles)) == ("https://linkedin.com/in/kaiw",)


def add_form(document: Any, *rows: tuple[str, str]) -> None:
    table = document.add_table(0, 2)
    for label, text in rows:
        first, second = table.add_row().cells
        first.text = label
        for line in text.split("\n"):
            second.add_paragraph(line)


def test_a_cell_that_says_name_is_no_part_of_the_name_beside_it():
    def fill(document: Any) -> None:
        document.add_heading("Lebenslauf", 0)
        document.add_heading("Persönliche Daten", 1)
        add_form(document, ("Name", "Tobias Hürlimann"), ("E-Mail", "t.h@post.example"), ("Ort", "Zürich\nSchweiz"))

    assert said(understand_docx(make_docx(fill)).basics.name) == ("Tobias Hürlimann",)


def test_lists_are_known_by_the_plain_cells_that_name_them():
    def fill(document: Any) -> None:
        document.add_heading("Tobias Hürlimann", 0)
        document.add_heading("Berufserfahrung", 1)
        add_form(document, ("2013 – 2018", "Polymechaniker\nBühler AG"))
        document.add_heading("Ausbildung", 1)
        schools = ("2009 – 2013", "Eidgenössisches Fähigkeitszeugnis\nTechnische Berufsschule Zürich")
        add_form(document, schools, ("Kenntnisse", "Mastercam, SolidWorks\n"), ("Sprachen", "Deutsch\nQuechua"))

    found = understand_docx(make_docx(fill))
    assert said(*(skill.name for skill in found.skills)) == ("Mastercam", "SolidWorks")
    assert said(*(speech.language for speech in found.languages)) == ("Deutsch", "Quechua")
    assert said(found.education[0].study_type) == ("Eidgenössisches Fähigkeitszeugnis",)


@pytest.mark.parametrize("side", [40, 160], ids=["over the label", "over both"])
def test_a_stroke_over_a_label_says_where_its_text_begins(side: float):
    rows = [
        ("Skills", ["Arduino, GeoGebra, Robotics"]),
        ("Experience", ["Teacher, Fota Wildlife Park", "2012 – 2013", "Cork"]),
    ]
    words = [write("Siobhán Keeffe", 40, 20, size=22, bold=True), stack(["siobhan@mail.example"], 160, 60)]
    top = 100
    for label, lines in rows:
        words += [write("ㅡ", left, top) for left in sorted({40, side})]
        words += [write(label, 40, top + 13, bold=True), stack(lines, 160, top + 13 * (side > 40))]
        top += 80
    found = parse(draw(*words))
    assert said(*(skill.name for skill in found.skills)) == ("Arduino", "GeoGebra", "Robotics")
    assert [said(work.name, work.position, work.start_date) for work in found.work] == [
        ("Fota Wildlife Park", "Teacher", "2012")
    ]


FORM = (
    ("Dates", "July 2018 – October 2021"),
    ("Occupation or position held", "Site Reliability Engineer"),
    ("Main activities and responsibilities", "Kept an error budget for eleven teams.\nWrote the incident handbook."),
    ("Name and address of employer", "Freshworks GmbH, Uzwil"),
)
SCHOOL = (
    ("Dates", "August 2012 – May 2016"),
    ("Title of qualification awarded", "Bachelor of Technology, Information Technology"),
    ("Name and type of organisation providing education and training", "Anna University, Chennai"),
)
OLDER = (
    ("Dates", "August 2016 – June 2018"),
    ("Occupation or position held", "Systems Engineer"),
    ("Responsibilities", "Administered four hundred servers."),
    ("Name and address of employer", "Infosys, 12 High Street, Chennai"),
)


def list_answered(found: Profile) -> list[tuple[str | None, ...]]:
    return [said(work.position, work.name, work.location, work.start_date, work.end_date) for work in found.work]


ANSWERED = [
    ("Site Reliability Engineer", "Freshworks GmbH", "Uzwil", "2018-07", "2021-10"),
    ("Systems Engineer", "Infosys", "12 High Street, Chennai", "2016-08", "2018-06"),
]


def test_a_form_is_read_by_what_it_asks():
    def fill(document: Any) -> None:
        document.add_heading("Arjun Raghunathan", 0)
        document.add_heading("Work experience", 1)
        add_form(document, *FORM, *OLDER)
        document.add_heading("Education and training", 1)
        add_form(document, *SCHOOL)
        document.add_heading("Personal skills and competences", 1)
        languages = (("Mother tongue(s)", "Tamil"), ("Other language(s)", "English (C2)\nHindi"))
        add_form(document, *languages, ("Computer skills and competences", "Kubernetes, Terraform\n"))

    found = understand_docx(make_docx(fill))
    assert list_answered(found) == ANSWERED
    assert found.work[1].summary is not None
    assert said(found.work[1].summary) == ("Administered four hundred servers.",)
    school = found.education[0]
    assert said(school.study_type, school.area) == ("Bachelor of Technology", "Information Technology")
    assert said(school.institution, school.end_date) == ("Anna University", "2016-05")
    assert said(*(speech.language for speech in found.languages)) == ("Tamil", "English", "Hindi")
    assert said(*(skill.name for skill in found.skills)) == ("Kubernetes", "Terraform")


def test_a_form_on_a_page_is_read_by_what_it_asks():
    words = [write("Arjun Raghunathan", 40, 20, size=22, bold=True), stack(["arjun@mail.example"], 40, 60)]
    words.append(write("Work experience", 40, 100, size=12, bold=True))
    top = 120.0
    for label, text in (*FORM, *OLDER):
        lines = text.split("\n")
        words += [write(label, 40, top), stack(lines, 300, top)]
        top += 13 * len(lines)
    assert list_answered(parse(draw(*words))) == ANSWERED


def test_a_degree_is_no_heading_although_it_is_set_like_one():
    def fill(document: Any) -> None:
        bold(document, "Arjun Raghunathan")
        document.add_paragraph("arjun@mail.example")
        for heading, dates, name, place in (
            ("Experience", "2016 – 2018", "Systems Engineer", "Infosys Ltd., Chennai"),
            ("Education", "2012 – 2016", "Bachelor of Technology, Information Technology", "Anna University"),
        ):
            bold(document, heading)
            document.add_paragraph(dates)
            bold(document, name)
            document.add_paragraph(place)
        bold(document, "Skills")
        document.add_paragraph("Terraform, Kubernetes")

    school = understand_docx(make_docx(fill)).education[0]
    assert said(school.study_type, school.institution) == ("Bachelor of Technology", "Anna University")


def test_a_form_with_colons_keeps_what_somebody_did_apart_from_where():
    def fill(document: Any) -> None:
        document.add_heading("Aminata Diallo", 0)
        document.add_heading("Expérience professionnelle", 1)
        for line in (
            "Entreprise : Clinique du Parc",
            "Poste : Infirmière",
            "Période : mars 2015 – fév. 2019",
            "Lieu : Lyon",
        ):
            document.add_paragraph(line)
        bold(document, "Missions :")
        document.add_paragraph("Soins techniques en service de gériatrie.", style="List Bullet")

    work = understand_docx(make_docx(fill)).work[0]
    assert said(work.name, work.position, work.location) == ("Clinique du Parc", "Infirmière", "Lyon")
    assert said(work.start_date, work.end_date) == ("2015-03", "2019-02")
    assert said(*work.highlights) == ("Soins techniques en service de gériatrie.",)


def test_headings_in_a_margin_may_stand_a_little_higher_than_their_text():
    """In small capitals, the second line of a heading may have no large letter at all."""
    words = [write("Ximena Quispe", 300, 20, size=22), stack(["ximena@mail.example"], 300, 60)]
    words += [
        write("PERFIL", 40, 100, size=11, bold=True),
        write("Analista de datos con experiencia en banca y comercio.", 160, 100),
    ]
    words += [write("EXPERIENCIA", 40, 114, size=11, bold=True), write("LABORAL", 40, 128, size=8.8, bold=True)]
    words += [stack(["Analista de datos, Banco Andino", "2021 – 2023", "Modelos de riesgo para clientes."], 160, 120)]
    words += [
        write("FORMACIÓN", 40, 180, size=11, bold=True),
        stack(["Licenciatura, Economía", "2010 – 2015"], 160, 186),
    ]
    found = parse(draw(*words))
    assert [said(work.position, work.name, work.start_date) for work in found.work] == [
        ("Analista de datos", "Banco Andino", "2021")
    ]
    assert said(found.basics.summary) == ("Analista de datos con experiencia en banca y comercio.",)


def test_a_name_behind_a_bold_title_goes_on_where_it_found_no_room():
    title = write("Bachelor of Engineering", 40, 100, bold=True)
    words = [write("Mei-Ling Tan", 40, 20, size=22, bold=True), stack(["mei@mail.example"], 40, 60)]
    words += [write("EDUCATION", 40, 86, bold=True), title, write("| Nanyang Technological", 162, 100)]
    words += [stack(["University", "2010 – 2014"], 40, 113), write("SKILLS", 40, 150, bold=True)]
    words += [stack(["Curriculum design, Robotics, Arduino, Google", "Classroom"], 40, 163)]
    found = parse(draw(*words))
    assert said(found.education[0].institution) == ("Nanyang Technological University",)
    assert said(*(skill.name for skill in found.skills)) == (
        "Curriculum design",
        "Robotics",
        "Arduino",
        "Google Classroom",
    )


def test_a_sentence_about_a_person_is_no_title():
    told = "Engineer who automates what hurts, with seven years on call."
    page = draw(write("Arjun Raghunathan", 40, 20, size=22, bold=True), stack(["arjun@mail.example", told], 40, 60))
    basics = parse(page).basics
    assert said(basics.label, basics.summary) == (None, told)


@pytest.mark.parametrize(
    ("line", "name", "place"),
    [
        ("Association Santé à Domicile, Grenoble", "Association Santé à Domicile", "Grenoble"),
        ("INGENIEURBÜRO RAU & PARTNER, Ulm", "INGENIEURBÜRO RAU & PARTNER", "Ulm"),
    ],
)
def test_a_name_may_hold_words_that_elsewhere_part_names_or_are_titles(line: str, name: str, place: str):
    def fill(document: Any) -> None:
        document.add_heading("Aminata Diallo", 0)
        document.add_heading("Experience", 1)
        for employer, title, years in (
            ("Bühler AG, Lyon", "Pharmacist", "2015 – 2019"),
            (line, "Teacher", "2013 – 2015"),
        ):
            bold(document, title)
            document.add_paragraph(employer)
            document.add_paragraph(years)

    work = understand_docx(make_docx(fill)).work[1]
    assert said(work.position, work.name, work.location) == ("Teacher", name, place)


SCHOOLS = (
    ("Year", "Degree", "Institution"),
    ("2012 – 2014", "MS, Marine Biology", "University of Hawaii at Manoa"),
    ("2008 – 2012", "BS, Biology", "Oregon State University"),
)
STUDIED = [
    ("2012", "MS", "Marine Biology", "University of Hawaii at Manoa"),
    ("2008", "BS", "Biology", "Oregon State University"),
]


def list_schools(found: Profile) -> list[tuple[str | None, ...]]:
    return [said(one.start_date, one.study_type, one.area, one.institution) for one in found.education]


def test_what_heads_the_columns_of_a_table_is_no_entry():
    def fill(document: Any) -> None:
        document.add_heading("Keala Kahananui", 0)
        document.add_heading("Education", 1)
        table = document.add_table(0, 3)
        for texts in SCHOOLS:
            for cell, text in zip(table.add_row().cells, texts, strict=True):
                cell.text = text

    assert list_schools(understand_docx(make_docx(fill))) == STUDIED


def test_what_heads_the_columns_of_a_table_on_a_page_is_no_entry():
    words = [write("Keala Kahananui", 40, 20, size=22, bold=True), stack(["keala@mail.example"], 40, 60)]
    words.append(write("Education", 40, 100, size=13, bold=True))
    for row, texts in enumerate(SCHOOLS):
        words += [write(text, 40 + 160 * at, 120 + 14 * row, bold=row == 0) for at, text in enumerate(texts)]
    assert list_schools(parse(draw(*words))) == STUDIED


def test_a_school_may_be_at_a_town_and_have_a_town_behind_it():
    def fill(document: Any) -> None:
        document.add_heading("Keala Kahananui", 0)
        document.add_heading("Education", 1)
        document.add_paragraph("University of Hawaii at Manoa, Honolulu")
        document.add_paragraph("MS, Marine Biology")
        document.add_paragraph("2012 – 2014")

    school = understand_docx(make_docx(fill)).education[0]
    assert said(school.institution, school.location) == ("University of Hawaii at Manoa", "Honolulu")


@pytest.mark.parametrize("line", ["4210 rue Saint-Denis · Montréal, Québec", "4210 rue Saint-Denis, Montréal, Québec"])
def test_neither_a_province_nor_a_street_is_the_town_that_it_is_called_after(line: str):
    page = draw(write("Élodie Gagnon", 40, 20, size=22, bold=True), stack([line, "elodie@mail.example"], 40, 60))
    location = parse(page).basics.location
    assert location
    assert said(location.city) == ("Montréal",)


def test_a_town_may_stand_behind_an_avenue():
    lines = ["14 Fifth Avenue New York", "keala@mail.example"]
    location = parse(draw(write("Keala Kahananui", 40, 20, size=22, bold=True), stack(lines, 40, 60))).basics.location
    assert location
    assert said(location.city) == ("New York",)
