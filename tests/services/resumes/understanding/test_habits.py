"""How strangers set resumes: each habit here once cost fields on a layout that nobody had seen before."""

import pytest

from dibs.services.resumes.document import Box, Shape
from dibs.services.resumes.profile import PRESENT, Profile
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.understanding import understand
from dibs.services.resumes.understanding.normal.organisations import judge_school
from tests.services.resumes.understanding.drawing import TODAY, draw, parse, read, said, stack, write

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


TWO = ["#Experience", "**Data Engineer", "Northwind Sp. z o.o.", "Jan 2019 - Present", "- Built a warehouse"]
TWO += ["**Developer", "Helix Labs Ltd", "Mar 2016 - Dec 2018"]
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


def test_an_employer_before_its_country_is_no_town():
    body = ["#Experience", "2019 - 2021", "**Accountant", "North Robotics Group, Singapore", ""]
    body += ["2016 - 2019", "**Accounts Assistant", "Bluefield Asia, Singapore", *SCHOOL]
    assert [said(work.name, work.location) for work in page(*body).work] == [
        ("North Robotics Group", "Singapore"), ("Bluefield Asia", "Singapore"),
    ]  # fmt: skip


def test_a_name_that_had_no_room_on_its_line_goes_on_in_the_next():
    school = "**Culinary Arts, B.Sc. - Northern Lakes"
    body = [*JOB, "#Education", school, "**Community College", "2012 - 2015", "- Wrote about bread in old cities"]
    (study,) = page(*body).education
    assert said(study.institution) == ("Northern Lakes Community College",)


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
        ("26 Harbour Road, Singapore SG", "Singapore"),
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


def test_dates_between_the_lines_at_the_right_edge_are_no_column():
    left = [*write("Data Engineer, Northwind Sp. z o.o.", 40, 80, bold=True), *stack(["- Built a warehouse"], 40, 108)]
    left += [*write("Developer, Helix Labs Ltd", 40, 140, bold=True), *stack(["- Wrote the manual"], 40, 168)]
    dates = [*write("Jan 2019 - Present", 440, 94), *write("Mar 2016 - Dec 2018", 440, 154)]
    head = [*write("Ada Lovelace", 40, 20, size=22), *stack(["#Experience"], 40, 60)]
    assert works(parse(draw(iter(head), iter(left), iter(dates)))) == TWO_JOBS


def test_headings_that_stand_level_in_both_columns_make_no_rail():
    left = ["#Education", "Leeds College", "2012 - 2015", "", "Bath College", "2010 - 2012", ""]
    left += ["#Certificates", "Scrum Master, 2019"]
    right = ["#Skills", "Python, SQL", "", "", "", "", "", *TWO]
    name = write("Ada Augusta Byron Lovelace", 40, 20, size=24)
    profile = parse(draw(name, stack(left, 40, 70), stack(right, 250, 70)))
    assert works(profile) == TWO_JOBS
    assert [said(one.institution)[0] for one in profile.education] == ["Leeds College", "Bath College"]
    assert skills(profile) == ["Python", "SQL"]
    assert [said(one.name)[0] for one in profile.certificates] == ["Scrum Master"]


def test_dates_in_a_margin_do_not_take_the_sidebar_for_their_text():
    main = [*stack(["#Experience"], 40, 80), *stack(["2019 - 2021"], 40, 100), *stack(["2016 - 2019"], 40, 156)]
    main += stack(["**Data Engineer", "Northwind Ltd", "Some text of some length", ""], 140, 100)
    main += stack(["**Developer", "Helix Labs Ltd", "Some text of some length"], 140, 156)
    main += [*stack(["#Education"], 40, 204), *stack(["2012 - 2015"], 40, 224)]
    main += stack(["**BSc in Mathematics", "University of Leeds"], 140, 224)
    side = stack(["#Skills", "- Python", "- SQL", "#Languages", "English", "German"], 420, 72)
    profile = parse(draw(write("Ada Lovelace", 40, 20, size=24), iter(main), side))
    assert [said(work.position, work.name) for work in profile.work] == [
        ("Data Engineer", "Northwind Ltd"), ("Developer", "Helix Labs Ltd"),
    ]  # fmt: skip
    assert skills(profile) == ["Python", "SQL"]


def test_a_heading_below_the_text_of_a_rail_is_no_label_of_it():
    main = [*stack(["#Education"], 40, 60), *stack(["2012 - 2015"], 40, 80), *stack(["2010 - 2012"], 40, 108)]
    main += stack(["**BSc in Mathematics", "University of Leeds", "**MSc in Physics", "Leeds College"], 140, 80)
    main += stack(["#References", "Given when they are asked for."], 40, 150)
    profile = parse(draw(write("Ada Lovelace", 40, 20, size=24), iter(main)))
    assert [said(one.institution)[0] for one in profile.education] == ["University of Leeds", "Leeds College"]


def test_a_range_that_a_narrow_column_broke_is_one():
    school = [*write("Leeds College", 40, 60, bold=True), *write("June 2005 –", 110, 60)]
    body = [*stack(["#Education"], 40, 40), *school, *stack(["June 2008", "BSc in Mathematics"], 40, 74)]
    assert read(draw(iter(body)))[1:] == ["Leeds College June 2005 – June 2008", "BSc in Mathematics"]


def test_a_date_that_touches_the_name_before_it_is_parted():
    profile = page(*JOB, "#Education", "**Leeds College06/2008", "BSc in Mathematics")
    assert [said(one.institution, one.end_date) for one in profile.education] == [("Leeds College", "2008-06")]


def test_a_firm_may_begin_with_a_small_letter():
    second = ["**Developer", "3Sixty Ltd", "2016 - 2019"]
    profile = page("#Experience", "**Data Engineer", "eLumenta — Leeds", "2019 - 2021", "- Built it", *second, *SCHOOL)
    assert [said(work.position, work.name) for work in profile.work] == [
        ("Data Engineer", "eLumenta"), ("Developer", "3Sixty Ltd"),
    ]  # fmt: skip


def test_a_chip_is_not_broken_at_the_end_of_a_line():
    names = ["Safeguarding", "Quiet rooms", "Moodle", "Special educational needs", "Google Classroom"]
    names += ["Student assessment", "Microsoft Teams", "PowerPoint", "Lesson planning"]
    chips = "".join(f'<span style="display:inline-block;padding:2px 6px">{name}</span> ' for name in names)
    assert skills(web(f"<h2>Skills</h2><div>{chips}</div>")) == names


def test_a_campus_and_a_department_belong_to_the_name():
    school = ["", "#Education", "**University of Texas at Austin", "PGCert in Mathematics", "2012 - 2015"]
    profile = page("#Experience", "**Tutor", "Leeds College, Department of Physics", "2019 - 2021", *school)
    assert [said(one.institution, one.study_type) for one in profile.education] == [
        ("University of Texas at Austin", "PGCert"),
    ]  # fmt: skip
    assert [said(work.name) for work in profile.work] == [("Leeds College, Department of Physics",)]


def test_a_double_name_may_be_broken_behind_its_hyphen():
    words = [*write("Ada Byron-", 40, 30, size=22, bold=True), *write("Lovelace", 40, 58, size=22, bold=True)]
    profile = parse(draw(iter(words), stack([*HEAD, "", *JOB], 40, 100)))
    assert said(profile.basics.name) == ("Ada Byron-Lovelace",)


def test_a_comma_inside_a_title_parts_nothing_where_other_titles_have_none():
    first = ["#Experience", "**VP, People & Culture", "Brainly", "2020 - 2024", "- Grew the team", ""]
    second = ["**HR Business Partner", "Allegro", "2015 - 2019", ""]
    third = ["**Consultant, People Advisory Services", "Ernst & Young", "2011 - 2015"]
    profile = page(*first, *second, *third, *SCHOOL)
    assert [said(work.position, work.name) for work in profile.work] == [
        ("VP, People & Culture", "Brainly"), ("HR Business Partner", "Allegro"),
        ("Consultant, People Advisory Services", "Ernst & Young"),
    ]  # fmt: skip


def test_a_comma_before_a_place_parts_it_also_where_the_place_is_not_known():
    first = ["#Experience", "**Data Engineer", "Northwind Ltd, Leeds", "2019 - 2021", "- Built it", ""]
    second = ["**Developer", "Helix Ltd, Nowhereham", "2016 - 2019", ""]
    profile = page(*first, *second, "**Tester", "Acme", "2014 - 2016", *SCHOOL)
    assert [said(work.name) for work in profile.work] == [("Northwind Ltd",), ("Helix Ltd",), ("Acme",)]


def test_a_long_name_in_large_letters_may_take_two_lines():
    words = [*write("María del Carmen", 40, 30, size=24), *write("Ibáñez Roig", 40, 62, size=24)]
    contact = ["mc.ibanez@mail.example", "+34 600 555 018"]
    profile = parse(draw(iter(words), stack([*contact, "", *JOB], 40, 110)))
    assert said(profile.basics.name) == ("María del Carmen Ibáñez Roig",)


@pytest.mark.parametrize(
    "name",
    [
        "Universidad de Sevilla",
        "Tecnológico de Monterrey",
        "Politécnica de Valencia",
        "Uniwersytet Jagielloński",
        "Politechnika Warszawska",
        "Cégep de Sherbrooke",
    ],
)
def test_schools_are_known_by_their_spanish_polish_and_canadian_words(name):
    assert judge_school(name) >= 0.5
    assert judge_school("Northwind de Sevilla") < 0.5


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("soundcloud.com/ada", "SoundCloud"),
        ("vimeo.com/ada", "Vimeo"),
        ("dev.to/ada", "DEV"),
        ("hackerrank.com/ada", "HackerRank"),
        ("bsky.app/profile/ada", "Bluesky"),
        ("codeberg.org/ada", "Codeberg"),
        ("speakerdeck.com/ada", "Speaker Deck"),
        ("t.me/ada", "Telegram"),
        ("huggingface.co/ada", "Hugging Face"),
        ("artstation.com/ada", "ArtStation"),
        ("cambridge.academia.edu/ada", "Academia.edu"),
        ("mastodon.social/@ada", "Mastodon"),
    ],
)
def test_a_page_at_a_network_is_an_account_there(address, network):
    basics = page(*JOB, head=["ada@mail.example", address]).basics
    assert [said(account.network) for account in basics.profiles] == [(network,)]
    assert basics.url is None


def test_a_long_address_may_run_out_of_its_panel():
    panel = Shape(Box(1, 420, 0, 560, 842), fill=0x2A7F9E)
    side = ["ada.lovelace.of.the.engines@mail.example", "", "#Languages", "English", "German", "Yoruba"]
    told = [write("x" * 75, 43, 65 + 14 * at) for at in range(6)]
    page = draw(*told, stack(side, 424, 58), stack(["#Education", "**University of Leeds"], 40, 160), shapes=[panel])
    lines = read(page)
    assert lines.index("University of Leeds") < lines.index(side[0]) < lines.index("Yoruba") == len(lines) - 1


def test_headings_set_flush_right_rule_the_whole_text():
    body = [
        "",
        "**Data Engineer",
        "Northwind Ltd",
        "",
        "**Developer",
        "Helix Labs Ltd",
        "",
        "",
        "**University of Leeds",
    ]
    dates = [("2019 - 2021", 14), ("2016 - 2019", 56), ("2012 - 2015", 112)]
    right = [write(text, 540 - _wide(text, 10), 140 + at) for text, at in dates]
    titles = [("WORK", 0), ("EDUCATION", 92)]
    right += [write(text, 540 - _wide(text, 13), 140 + at, size=13, bold=True) for text, at in titles]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    profile = parse(draw(name, stack(HEAD, 40, 70), stack([*body, "BSc in Mathematics"], 40, 140), *right))
    assert works(profile) == [
        ("Data Engineer", "Northwind Ltd", "2019", "2021"), ("Developer", "Helix Labs Ltd", "2016", "2019")
    ]  # fmt: skip
    assert [said(one.institution, one.start_date) for one in profile.education] == [("University of Leeds", "2012")]


def _wide(text: str, size: float) -> float:
    return sum(0.5 * size * len(word) for word in text.split()) + 0.25 * size * (len(text.split()) - 1)


def test_the_second_line_of_a_school_opens_no_section():
    school = ["#Education", "**Royal Institute of", "**Technology", "MSc in Mechatronics", "2011 - 2014"]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    profile = parse(draw(name, stack(HEAD, 40, 70), stack([*JOB, *school], 40, 140, step=13)))
    assert [said(one.institution, one.start_date) for one in profile.education] == [
        ("Royal Institute of Technology", "2011")
    ]


def test_each_word_of_a_name_may_have_a_line_of_its_own():
    name = [write(word, 40, 20 + 20 * at, size=16, bold=True) for at, word in enumerate(("Ada", "Byron-", "Lovelace"))]
    profile = parse(draw(*name, stack(HEAD, 40, 90), stack([*JOB, *SCHOOL], 40, 140)))
    assert said(profile.basics.name) == ("Ada Byron-Lovelace",)


def test_a_section_over_two_columns_is_read_before_the_next_one():
    left = ["#Profile", "Engines and tables", "", "#Work", "**Data Engineer", "Northwind Ltd", "2019 - 2021"]
    left += ["", "#Education", "**University of Leeds", "BSc in Mathematics", "2012 - 2015"]
    right = [stack(["#Contact", "Leeds"], 320, 140), stack(["- Built a warehouse", "- Cut costs"], 320, 196)]
    right.append(stack(["**Selby College", "MSc in Physics", "2015 - 2016"], 320, 266))
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    profile = parse(draw(name, stack(HEAD, 40, 70), stack(left, 40, 140), *right))
    assert works(profile) == [("Data Engineer", "Northwind Ltd", "2019", "2021")]
    schools = [said(one.institution, one.start_date) for one in profile.education]
    assert schools == [("University of Leeds", "2012"), ("Selby College", "2015")]


def test_items_over_dates_name_entries_although_they_are_plain():
    body = """<h2>Education</h2><ul><li>Mathematics, BSc, University of Leeds<div>2012 - 2015</div></li>
      <li>Physics, MSc, Selby College<div>2015 - 2016</div></li></ul>"""
    assert [said(one.institution, one.start_date) for one in web(body).education] == [
        ("University of Leeds", "2012"), ("Selby College", "2015")
    ]  # fmt: skip


def test_items_over_plain_rows_are_names_of_groups():
    listed = ["#Skills", "- Cloudwork", "Kubernetes", "Terraform", "- Storing", "PostgreSQL", "Redis"]
    assert skills(page(*JOB, *listed)) == ["Kubernetes", "Terraform", "PostgreSQL", "Redis"]


def test_work_for_associations_is_no_employment():
    profile = page(*JOB, *SCHOOL, "", "#Expériences associatives", "**Teacher", "CoderDojo", "2012 - 2013")
    assert works(profile) == [("Data Engineer", "Northwind Ltd", "2019", "2021")]


def test_letters_that_are_a_state_by_chance_make_no_place_of_an_employer():
    body = ["#Experience", "**Senior Designer", "**R/GA London", "Jan 2019 - Present London", "- Led a team", ""]
    body += ["**Designer", "**Freelance", "Mar 2016 - Dec 2018 Remote", "- Drew pages for small shops"]
    assert works(page(*body, *SCHOOL)) == [
        ("Senior Designer", "R/GA London", "2019-01", PRESENT), ("Designer", "Freelance", "2016-03", "2018-12"),
    ]  # fmt: skip


def test_behind_a_language_the_mother_tongue_is_a_level_and_no_heading():
    lines = ["#Work", "Analyst, Northwind Ltd, 2019 - 2021", "#Langues", "Français", "**Langue maternelle"]
    lines += ["Anglais", "**Courant", "Wolof", "**Langue maternelle", "#Skills", "Python, Kafka"]
    profile = parse(draw(write("Ada Lovelace", 40, 20, size=22, bold=True), stack(lines, 40, 60, step=20)))
    assert [said(one.language, one.fluency) for one in profile.languages] == [
        ("Français", "Langue maternelle"),
        ("Anglais", "Courant"),
        ("Wolof", "Langue maternelle"),
    ]


def test_the_first_line_of_a_text_about_the_person_is_no_label_where_nothing_ends_in_it():
    lines = ["Softwareentwicklerin mit Schwerpunkt auf verteilten Systemen und einer", "Schwäche für Schnittstellen."]
    page = draw(
        stack(["**Softwareentwicklerin"], 40, 20),
        write("Leyla Berger", 40, 40, size=22, bold=True),
        stack([*lines, "#Kenntnisse", "Kotlin, Java"], 40, 80),
    )
    assert said(parse(page).basics.label) == ("Softwareentwicklerin",)
