"""How strangers set resumes: each habit here once cost fields on a layout that nobody had seen before."""

import pytest

from dibs.services.resumes.profile import PRESENT, Profile
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.understanding import understand
from tests.services.resumes.understanding.drawing import TODAY, draw, parse, said, stack, write

HEAD = ["ada.lovelace@mail.example", "+44 20 7946 0958"]
SCHOOL = ["", "#Education", "**University of Leeds", "BSc in Mathematics", "2012 - 2015"]
JOB = ["#Experience", "**Data Engineer", "Northwind Ltd", "2019 - 2021", "- Built a warehouse for reports", ""]


def page(*body: str, head: list[str] = HEAD) -> Profile:
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    return parse(draw(name, stack(head, 40, 70), stack(body, 40, 140)))


def web(body: str) -> Profile:
    data = f"<!doctype html><html><body><h1>Ada Lovelace</h1><p>ada@mail.example</p>{body}</body></html>".encode()
    return understand(read_document(data, name="resume.html"), today=TODAY)


def skills(profile: Profile) -> list[str]:
    given = (word for skill in profile.skills for word in (skill.keywords or (skill.name,)))
    return [word.value for word in given if word]


def works(profile: Profile) -> list[tuple[str | None, ...]]:
    return [said(work.position, work.name, work.start_date, work.end_date) for work in profile.work]


TWO_JOBS = [
    ("Data Engineer", "Northwind Sp. z o.o.", "2019-01", PRESENT), ("Developer", "Helix Labs Ltd", "2016-03", "2018-12")
]  # fmt: skip


def test_employer_and_dates_may_be_list_items_under_a_title():
    first = ["#Experience", "**Data Engineer", "- Northwind Sp. z o.o.", "- Jan 2019 - Present", ""]
    assert works(page(*first, "**Developer", "- Helix Labs Ltd", "- Mar 2016 - Dec 2018", *SCHOOL)) == TWO_JOBS


def test_whole_entries_may_be_list_items():
    body = """<h2>Experience</h2><ul>
      <li><b>Data Engineer, Northwind Sp. z o.o.</b><div>Jan 2019 - Present</div><ul><li>Built it</li></ul></li>
      <li><b>Developer, Helix Labs Ltd</b><div>Mar 2016 - Dec 2018</div></li></ul><h2>Education</h2><p>Leeds</p>"""
    assert works(web(body)) == TWO_JOBS


def test_a_heading_in_the_markup_goes_with_the_blocks_below_it():
    body = """<h2>Experience</h2>
      <h3>Northwind Sp. z o.o.</h3><p>Data Engineer</p><p>Jan 2019 - Present</p><ul><li>Built a warehouse</li></ul>
      <h3>Helix Labs Ltd</h3><p>Developer</p><p>Mar 2016 - Dec 2018</p><h2>Education</h2><h3>Leeds College</h3>"""
    assert works(web(body)) == TWO_JOBS


def test_dates_that_are_read_behind_their_entries_belong_to_them():
    body = """<h2>Experience</h2>
      <h3>Data Engineer, Northwind Sp. z o.o.</h3><ul><li>Built a warehouse</li></ul><p>Jan 2019 - Present</p>
      <h3>Developer, Helix Labs Ltd</h3><ul><li>Cut costs by a third</li></ul><p>Mar 2016 - Dec 2018</p>
      <h2>Education</h2><h3>Leeds College</h3>"""
    assert works(web(body)) == TWO_JOBS


def test_elements_with_a_class_are_things_of_their_own():
    body = """<h2>Experience</h2><div><span class="position">Data Engineer</span> <span class="name">Northwind</span>
      <span class="location">London</span></div><div>Jan 2019 - Present</div>
      <h2>Skills</h2><div><span class="tag">Git</span> <span class="tag">Root cause study</span>
      <span class="tag">Redis</span></div>"""
    profile = web(body)
    assert works(profile) == [("Data Engineer", "Northwind", "2019-01", PRESENT)]
    assert skills(profile) == ["Git", "Root cause study", "Redis"]


def test_small_labels_inside_entries_open_no_section():
    entry = ["**Highlights", "- Built a warehouse for reports"]
    body = ["#Experience", "**Data Engineer", "Northwind Ltd", "2019 - 2021", *entry, ""]
    body += ["**Developer", "Helix Ltd", "2016 - 2019", *entry, *SCHOOL, "**Courses", "- Databases"]
    profile = page(*body)
    assert [work.name.value for work in profile.work if work.name] == ["Northwind Ltd", "Helix Ltd"]
    assert not profile.certificates


def test_how_long_it_was_all_in_all_is_no_part_of_an_entry():
    body = ["#Experience", "**9 years", "**Northwind Ltd", "2019 - 2021", "**Data Engineer", ""]
    body += ["**Helix Ltd", "2016 - 2019", "**Developer", *SCHOOL]
    assert [said(work.position, work.name) for work in page(*body).work] == [
        ("Data Engineer", "Northwind Ltd"), ("Developer", "Helix Ltd"),
    ]  # fmt: skip


def test_names_of_groups_are_no_skills():
    assert skills(page(*JOB, "#Skills", "**Tools", "Figma, Redis", "**Methods", "Prototyping, Scrum")) == [
        "Figma", "Redis", "Prototyping", "Scrum",
    ]  # fmt: skip
    assert skills(page(*JOB, "#Skills", "- Tools", "- Methods")) == []


def test_items_further_in_belong_to_the_item_over_them():
    items = [*stack(["- Web pages"], 40, 310), *stack(["- Figma", "- Redis"], 70, 324)]
    drawn = draw(write("Ada Lovelace", 40, 30, size=22), stack([*HEAD, *JOB, "#Skills"], 40, 140), iter(items))
    assert skills(parse(drawn)) == ["Figma", "Redis"]


def test_tags_of_several_words_stay_whole_where_the_white_between_tags_is_wider():
    tags = [*write("Git", 40, 300), *write("Root cause study", 75, 300), *write("Guest care", 190, 300)]
    drawn = draw(write("Ada Lovelace", 40, 30, size=22), stack([*HEAD, *JOB, "#Skills"], 40, 140), iter(tags))
    assert skills(parse(drawn)) == ["Git", "Root cause study", "Guest care"]


def test_a_list_that_goes_on_in_the_next_line_is_one_list():
    line = "QuickBooks, Excel, Xero, DATEV, Variance study, Month-end closing, Cost control, Treasury, Guest"
    assert "Guest relations" in skills(page(*JOB, "#Skills", line, "relations, Budgets, Payroll and taxes"))


@pytest.mark.parametrize(
    ("line", "city"),
    [
        ("Galway IE", "Galway"),
        ("P.O. Box 100 Mombasa KE", "Mombasa"),
        ("82 Granville St Ottawa ON CA", "Ottawa"),
        ("Dublin, Ireland ada@mail.example 087 123 4795", "Dublin"),
        ("Ottawa, CA | ada@mail.example", "Ottawa"),
        ("06.39.98.42.33 / 137 bis, avenue Jean Jaurès, Lille", "Lille"),
    ],
)
def test_a_town_is_found_among_codes_and_contacts(line, city):
    location = page(*JOB, head=[line]).basics.location
    assert location is not None
    assert said(location.city) == (city,)


def test_a_town_may_stand_on_the_line_of_the_name():
    words = [*write("Ada Lovelace", 40, 30, size=22), *write("Rosario", 480, 34, size=9)]
    location = parse(draw(iter(words), stack([*HEAD, *JOB], 40, 100))).basics.location
    assert location is not None
    assert said(location.city) == ("Rosario",)


def test_a_telephone_number_ends_where_the_address_begins():
    phone = page(*JOB, head=["ada@mail.example / 06.39.98.42.33 / 137 bis, avenue Jean Jaurès, Lille"]).basics.phone
    assert said(phone) == ("06.39.98.42.33",)


def test_a_mail_address_that_is_shown_is_believed_before_a_scrambled_link():
    body = '<p><a href="mailto:nqn@znvy.rknzcyr">ada.lovelace@mail.example</a></p>'
    data = f"<html><body><h1>Ada Lovelace</h1>{body}</body></html>".encode()
    profile = understand(read_document(data, name="resume.html"), today=TODAY)
    assert said(profile.basics.email) == ("ada.lovelace@mail.example",)


def test_an_address_and_the_page_below_it_are_two_links():
    profile = page(*JOB, head=["ada@mail.example", "linkedin.com/in/ada-lovelace", "ada.example.org"])
    assert [said(account.url) for account in profile.basics.profiles] == [("https://linkedin.com/in/ada-lovelace",)]
    assert said(profile.basics.url) == ("ada.example.org",)


def test_a_name_in_the_looks_of_headings_opens_no_section():
    sheet = stack(["#Ada Lovelace", *HEAD, "London, UK", "", *JOB, *SCHOOL, "", "#Skills", "Python, SQL"], 40, 40)
    basics = parse(draw(sheet)).basics
    assert said(basics.name) == ("Ada Lovelace",)
    assert basics.location is not None


def test_a_name_below_a_first_column_is_no_skill():
    side = stack(["#Contact", *HEAD, "", "#Skills", "Python, SQL"], 40, 40)
    main = [*write("Ada Lovelace", 40, 140, size=30, bold=True), *stack(JOB, 40, 190)]
    profile = parse(draw(side, iter(main)))
    assert skills(profile) == ["Python", "SQL"]
    assert said(profile.basics.name) == ("Ada Lovelace",)


def test_contacts_stay_out_of_entries_where_no_heading_parts_them():
    body = ["London / 020 7946 0958 / ada@mail.example", "**Data Engineer - Northwind Ltd, 2019 - 2021", "Some text"]
    body += ["**Developer - Helix Ltd, 2016 - 2019", "#Education", "University of Leeds, 2012 - 2015"]
    profile = parse(draw(write("Ada Lovelace", 40, 30, size=16, bold=True), stack(body, 40, 60)))
    assert [said(work.position, work.name) for work in profile.work] == [
        ("Data Engineer", "Northwind Ltd"), ("Developer", "Helix Ltd"),
    ]  # fmt: skip


def test_labels_in_the_margin_may_begin_below_the_contacts():
    labels = [*write("✉ ada@mail.example", 40, 60, size=8), *write("EXPERIENCE", 60, 100, size=13)]
    labels += [*write("EDUCATION", 60, 156, size=13), *write("SKILLS", 60, 198, size=13)]
    text = [
        "**Data Engineer, Northwind Ltd",
        "2019 - 2021",
        "Some text of some length",
        "",
        "**BSc Physics, Leeds College",
    ]
    body = stack([*text, "2012 - 2015", "", "Python, SQL"], 180, 100)
    profile = parse(draw(write("Ada Lovelace", 180, 40, size=22), write("Engineer", 180, 70), iter(labels), body))
    assert [said(work.position, work.name) for work in profile.work] == [("Data Engineer", "Northwind Ltd")]
    assert skills(profile) == ["Python", "SQL"]
