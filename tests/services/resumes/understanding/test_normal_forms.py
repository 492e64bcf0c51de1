import pytest

from dibs.services.resumes.understanding.normal.dates import find_dates
from dibs.services.resumes.understanding.normal.degrees import find_area, find_degree
from dibs.services.resumes.understanding.normal.organisations import judge_organisation, simplify_organisation
from dibs.services.resumes.understanding.normal.places import judge_place, read_place
from dibs.services.resumes.understanding.normal.skills import cut_skills, find_skill
from dibs.services.resumes.understanding.normal.titles import judge_title, read_title


@pytest.mark.parametrize(
    ("text", "start", "stop"),
    [
        ("Jan 2020 – Present", "2020-01", None),
        ("01/2019 - 03/2021", "2019-01", "2021-03"),
        ("2014-2018", "2014", "2018"),
        ("2018-20", "2018", "2020"),
        ("March - June 2020", "2020-03", "2020-06"),
        ("2013-12-01 — 2014-12-01", "2013-12-01", "2014-12-01"),
        ("seit 03.2019", "2019-03", None),
        ("Dezember 2012 bis heute", "2012-12", None),
        ("Sept. 2011 — Aujourd'hui", "2011-09", None),
        ("De septiembre 2010 a junio 2014", "2010-09", "2014-06"),
        ("enero de 2015 - actualidad", "2015-01", None),
        ("May '18 to Jun '19", "2018-05", "2019-06"),
        ("2019 –", "2019", None),
        ("2016 Feb - 2019 Mar", "2016-02", "2019-03"),
        ("2019-Apr - Present", "2019-04", None),
        ("sept. 2019 - act.", "2019-09", None),
        ("août 2017 – auj.", "2017-08", None),
    ],
)
def test_a_range_is_read_with_the_precision_it_was_written_in(text, start, stop):
    (span,) = find_dates(text)
    assert (str(span.start), str(span.stop) if span.stop else None) == (start, stop)
    assert span.is_present == (stop is None)


@pytest.mark.parametrize("text", ["Call +49 170 123 45", "a 20% rise", "room 12"])
def test_numbers_that_are_no_dates_are_left_alone(text):
    assert find_dates(text) == []


@pytest.mark.parametrize(
    ("text", "degree", "area"),
    [
        ("BSc in Computer Science", "BSc", "Computer Science"),
        ("Master of Business Administration", "Master of Business Administration", None),
        ("Computer Science, Master of Science", "Master of Science", "Computer Science"),
        ("B.Sc. Informatik", "B.Sc.", "Informatik"),
        ("Licence en Droit", "Licence", "Droit"),
        ("Grado en Derecho", "Grado", "Derecho"),
        ("Promotion Finanzwirtschaft", "Promotion", "Finanzwirtschaft"),
    ],
)
def test_a_degree_is_told_from_its_subject(text, degree, area):
    found = find_degree(text)
    assert found is not None
    assert text[found.begin : found.end] == degree
    inside = find_area(text, found)
    assert (text[slice(*inside)] if inside else None) == area


@pytest.mark.parametrize(
    "text", ["Berlin", "San Francisco, CA", "Bristol, UK", "Melbourne VIC", "10115 Berlin", "Remote", "Sherbrooke (QC)"]
)
def test_a_place_is_known_as_one(text):
    assert judge_place(text) >= 0.7


@pytest.mark.parametrize(
    "text", ["Nord Logistik GmbH, Wien", "Data Engineer, London", "Python, SQL", "Helix Health Systems"]
)
def test_an_employer_with_its_place_is_no_place(text):
    assert judge_place(text) < 0.5


def test_an_address_is_taken_apart():
    parts = read_place("220 Folsom St, San Francisco, CA 94105")
    assert (parts.address, parts.city, parts.region, parts.postal_code) == (
        "220 Folsom St",
        "San Francisco",
        "CA",
        "94105",
    )


@pytest.mark.parametrize(
    "text", ["Senior Data Engineer", "Projektleiterin", "Chef de projet", "Directora de hotel", "Head of Sales", "Koch"]
)
def test_a_job_title_is_known_in_four_languages(text):
    assert judge_title(text) >= 0.6


@pytest.mark.parametrize(
    "text", ["Kestrel & Vane Architects", "Nord Logistik GmbH", "Reduced costs by a third in one year."]
)
def test_an_employer_or_a_sentence_is_no_title(text):
    assert judge_title(text) <= 0


@pytest.mark.parametrize(
    ("text", "seniority", "family"),
    [
        ("Senior Data Engineer", "senior", "data"),
        ("Praktikant Marketing", "intern", "marketing"),
        ("Chief Financial Officer", "executive", "finance"),
        ("Product Owner", "mid", "product"),
        ("HR Business Partner", "mid", "people"),
        ("Staff Nurse", "mid", "health"),
        ("Staff Engineer", "lead", "engineering"),
    ],
)
def test_a_title_has_a_seniority_and_a_family(text, seniority, family):
    assert read_title(text) == (seniority, family)


def test_two_spellings_of_an_employer_have_one_form():
    assert simplify_organisation("Bright & Bell Ltd.") == simplify_organisation("BRIGHT & BELL")
    assert judge_organisation("Bright & Bell Ltd.") == 1


def test_aliases_lead_to_one_skill_with_its_address_in_esco():
    assert find_skill("k8s") == find_skill("Kubernetes")
    assert find_skill(".NET") == find_skill("dotnet.") is not None
    python = find_skill("Python 3")
    assert python is not None
    assert python.reference is not None
    assert python.reference.startswith("http://data.europa.eu/esco/skill/")


def test_a_short_name_is_a_skill_only_beside_others_of_its_field():
    assert find_skill("ML") is None
    known = find_skill("ML", ["Python", "SQL"])
    assert known is not None
    assert known.name == "Machine learning"


def test_tags_without_marks_are_cut_where_skills_are_known():
    assert cut_skills(["US", "GAAP", "SAP", "IFRS", "VBA"]) == [0, 2, 3, 4]
    assert cut_skills(["Tax", "compliance"]) == []
