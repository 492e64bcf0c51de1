import pytest

from dibs.services.resumes.document import Box, Link
from dibs.services.resumes.profile import PRESENT, Status
from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write

HEAD = ["Data Engineer", "ada.lovelace@mail.example", "+44 20 7946 0958", "London, UK"]
WORK = [
    "#Work Experience",
    "**Senior Engineer", "Northwind", "Jan 2019 - Present", "- Moved nightly batches to streams of events", "",
    "**Developer", "Helix", "Mar 2016 - Dec 2018", "- Built a warehouse for clinical reports", "",
    "#Education", "**University of Leeds", "BSc in Mathematics", "2012 - 2015", "",
    "#Skills", "Python, k8s, SQL, Team leadership",
]  # fmt: skip


def resume(*, head=HEAD, body=WORK):
    return draw(write("Ada Lovelace", 40, 30, size=22, bold=True), stack(head, 40, 70), stack(body, 40, 140))


def test_a_resume_in_one_column_gives_its_fields():
    profile = parse(resume())
    basics = profile.basics
    assert basics.name is not None
    assert basics.email is not None
    assert basics.phone is not None
    assert (basics.name.value, basics.email.value) == ("Ada Lovelace", "ada.lovelace@mail.example")
    assert basics.phone.normal == "+442079460958"
    assert [said(w.position, w.name, w.start_date, w.end_date) for w in profile.work] == [
        ("Senior Engineer", "Northwind", "2019-01", PRESENT),
        ("Developer", "Helix", "2016-03", "2018-12"),
    ]
    (study,) = profile.education
    assert study.institution is not None
    assert study.area is not None
    assert (study.institution.value, study.area.value) == ("University of Leeds", "Mathematics")
    assert profile.meta.status is Status.OK


def test_title_first_or_employer_first_is_decided_for_all_entries_together():
    """ "Helix" and "Acorn" say nothing of themselves; that titles stand below employers shows in the other entries."""
    body = [
        "#Experience", "**Northwind Ltd", "Software Engineer", "2019 - 2021", "",
        "**Helix", "Wizard of Light Bulb Moments", "2016 - 2019", "", "**Acorn", "Data Analyst", "2014 - 2016",
    ]  # fmt: skip
    works = parse(resume(body=body)).work
    assert [said(w.name, w.position) for w in works] == [
        ("Northwind Ltd", "Software Engineer"), ("Helix", "Wizard of Light Bulb Moments"), ("Acorn", "Data Analyst"),
    ]  # fmt: skip


def test_several_positions_at_one_employer_share_its_name():
    body = [
        "#Experience", "**Northwind Ltd", "Principal Engineer", "2019 - 2021", "- Led the whole platform team", "",
        "Software Engineer", "2016 - 2019", "- Built the first version of it", "",
    ]  # fmt: skip
    works = parse(resume(body=body)).work
    assert [said(w.name, w.position) for w in works] == [
        ("Northwind Ltd", "Principal Engineer"), ("Northwind Ltd", "Software Engineer"),
    ]  # fmt: skip


def test_skills_are_normalised_and_duplicates_merged():
    skills = parse(
        resume(
            body=[
                "#Skills",
                "Kubernetes, k8s, Postgres",
                "",
                "#Technologies",
                "PostgreSQL, Docker",
                "",
                "#Education",
                "Leeds",
            ]
        )
    ).skills
    assert [skill.name.normal for skill in skills if skill.name] == ["Kubernetes", "PostgreSQL", "Docker"]


def test_the_json_is_a_json_resume_with_evidence_for_every_field():
    told = parse(resume()).to_json()
    assert told["work"][0]["position"] == "Senior Engineer"
    assert "endDate" not in told["work"][0]
    fields = told["meta"]["fields"]
    assert fields["work[0].endDate"]["value"] == PRESENT
    assert fields["basics.name"]["evidence"][0]["page"] == 1
    assert all(field["evidence"] for field in fields.values())
    assert all(0 < field["confidence"] <= 1 for field in fields.values())


def test_a_link_holds_the_address_that_a_narrow_column_broke():
    head = ["ada.lovelace@mailbox.exam", "ple.org"]
    link = Link("mailto:ada.lovelace@mailbox.example.org", Box(1, 40, 70, 180, 96))
    page = draw(write("Ada Lovelace", 40, 30, size=22), stack(head, 40, 70), stack(WORK, 40, 140), links=[link])
    email = parse(page).basics.email
    assert email is not None
    assert email.value == "ada.lovelace@mailbox.example.org"


def test_an_empty_page_gives_an_empty_profile():
    told = parse(draw()).to_json()
    assert {name: part for name, part in told.items() if part and name != "meta"} == {}
    assert told["meta"]["fields"] == {}


def test_without_contact_the_profile_is_incomplete():
    profile = parse(resume(head=["Data Engineer"]))
    assert "no_contact" in {flag.code for flag in profile.meta.flags}
    assert profile.meta.status is Status.NEEDS_REVIEW


def test_without_headings_entries_are_told_by_what_they_say():
    body = [line for line in WORK if not line.startswith("#")]
    profile = parse(resume(body=body))
    assert "no_sections" in {flag.code for flag in profile.meta.flags}
    assert {w.name.value for w in profile.work if w.name} >= {"Northwind", "Helix"}
    assert [study.institution.value for study in profile.education if study.institution] == ["University of Leeds"]


def test_a_language_that_is_not_handled_is_flagged():
    text = ["Jestem inżynierem i pracuję w firmie od roku oraz mam doświadczenie w pracy na budowie i przy projektach"]
    profile = parse(
        resume(head=text, body=["#Doświadczenie", "Praca na rzecz firmy w Polsce i w Niemczech od roku do roku"])
    )
    assert profile.meta.language == "pl"
    assert "language_not_handled" in {flag.code for flag in profile.meta.flags}


def test_a_position_that_begins_in_the_future_is_flagged():
    body = ["#Experience", "**Engineer", "Northwind Ltd", "Jan 2031 - Dec 2032"]
    assert "future_date" in {flag.code for flag in parse(resume(body=body)).meta.flags}


@pytest.mark.parametrize(
    ("work", "education", "skills"),
    [
        ("Berufserfahrung", "Ausbildung", "Kenntnisse"),
        ("Expérience professionnelle", "Formation", "Compétences"),
        ("Experiencia laboral", "Estudios", "Habilidades"),
    ],
)
def test_sections_are_found_in_four_languages(work, education, skills):
    names = {"#Work Experience": f"#{work}", "#Education": f"#{education}", "#Skills": f"#{skills}"}
    profile = parse(resume(body=[names.get(line, line) for line in WORK]))
    assert (len(profile.work), len(profile.education), len(profile.skills)) == (2, 1, 4)


def test_small_headings_that_come_back_in_every_entry_open_no_section():
    body = [
        "#Experience", "**Engineer", "Northwind Ltd", "2019 - 2021", "**Highlights", "- Did a thing", "",
        "**Developer", "Helix Ltd", "2016 - 2019", "**Highlights", "- Did another", "",
        "#Education", "**Leeds University", "2012 - 2015",
    ]  # fmt: skip
    profile = parse(resume(body=body))
    assert [[h.value for h in work.highlights] for work in profile.work] == [["Did a thing"], ["Did another"]]


def test_the_text_for_an_embedding_names_neither_person_nor_contact():
    text = parse(resume()).meta.text
    assert "Senior Engineer at Northwind" in text
    assert "Kubernetes" in text
    assert "Lovelace" not in text
    assert "@" not in text


def test_an_entry_goes_on_over_the_page():
    first = draw(
        write("Ada Lovelace", 40, 30, size=22),
        stack(
            ["#Experience", "**Northwind Ltd", "Software Engineer", "2019 - 2021", "- Did it all", "", "**Helix"],
            40,
            70,
        ),
    )
    second = draw(stack(["Data Analyst", "2016 - 2019", "- Did it too, in another way"], 40, 40, page=2), number=2)
    assert [said(w.name, w.position) for w in parse(first, second).work] == [
        ("Northwind Ltd", "Software Engineer"), ("Helix", "Data Analyst"),
    ]  # fmt: skip


def test_an_address_that_was_broken_behind_a_mark_is_one_again():
    email = parse(resume(head=["javier_", "munoz@mail.example", "14 Harbour Lane Bristol"])).basics.email
    assert said(email) == ("javier_munoz@mail.example",)


def test_a_town_is_found_behind_a_street_without_a_comma():
    location = parse(resume(head=["ada@mail.example", "14 Harbour Lane Bristol"])).basics.location
    assert location is not None
    assert said(location.city, location.address) == ("Bristol", "14 Harbour Lane")
