"""Odd payloads are read as a person would read them."""

import pytest

from tests.apps.postings.boards.reading import read, read_one

PAID = {
    "lever": lambda **pay: [{"id": "a", "text": "Cook", "salaryRange": pay}],
    "recruitee": lambda **pay: {
        "offers": [{"id": 1, "title": "Cook", "salary": {**pay, "period": pay.get("interval")}}]
    },
    "ashby": lambda **pay: {
        "jobs": [{"id": "a", "title": "Cook", "compensation": {"summaryComponents": [as_component(**pay)]}}]
    },
}


def as_component(**pay):
    return {
        "compensationType": "Salary",
        "interval": pay.get("interval"),
        "currencyCode": pay.get("currency"),
        "minValue": pay.get("min"),
        "maxValue": pay.get("max"),
    }


@pytest.mark.parametrize("board", PAID)
@pytest.mark.parametrize(
    ("given", "low", "high", "currency", "period"),
    [
        ({"min": "60,000", "max": "80,000", "currency": "usd", "interval": "1 YEAR"}, 60000, 80000, "USD", "year"),
        ({"min": "60.000", "max": "80.000", "currency": "€", "interval": "yearly"}, 60000, 80000, "EUR", "year"),
        ({"min": "60'000", "max": "80 000.00", "currency": "EUR (€)", "interval": None}, 60000, 80000, "EUR", "year"),
        ({"min": 80000, "max": 60000, "currency": "GBP", "interval": "per-year-salary"}, 60000, 80000, "GBP", "year"),
        ({"min": 2000, "max": 3000, "currency": "USD", "interval": "bi-week-salary"}, 1000, 1500, "USD", "week"),
        ({"min": 2000, "max": 3000, "currency": "USD", "interval": "2 WEEK"}, 1000, 1500, "USD", "week"),
        ({"min": 2000, "max": 3000, "currency": "USD", "interval": "0.5 MONTH"}, 4000, 6000, "USD", "month"),
        ({"min": 2000, "max": 3000, "currency": "USD", "interval": "semi-month-salary"}, 4000, 6000, "USD", "month"),
        ({"min": 0, "max": 3000, "currency": "USD", "interval": "month"}, None, 3000, "USD", "month"),
        ({"min": 25, "max": None, "currency": None, "interval": "hourly"}, 25, None, None, "hour"),
    ],
)
def test_fields_of_pay_mean_one_period(board, given, low, high, currency, period):
    pay = read_one(board, PAID[board](**given)).pay
    assert (pay.min, pay.max, pay.currency, pay.period) == (low, high, currency, period)
    assert pay.is_structured


def test_words_in_a_field_of_pay_are_pay():
    lever = [{"id": "a", "text": "Cook", "salaryDescription": "<p>$25 - $30</p>"}]
    money = {"unit": "USD", "min_value": "25.0", "max_value": "30.0"}
    greenhouse = {"jobs": [{"id": 1, "title": "Cook", "metadata": [{"name": "Salary Range", "value": money}]}]}
    for pay in (read_one("lever", lever).pay, read_one("greenhouse", greenhouse).pay):
        assert (pay.min, pay.max, pay.currency) == (25, 30, "USD")


def test_letters_entities_and_markup_are_brought_back():
    posting = read_one(
        "greenhouse",
        {
            "jobs": [
                {
                    "id": 4400123.0,
                    "title": "R&amp;amp;D <b>Lead</b>",
                    "location": {"name": "MÃ¼nchen"},
                    "departments": [{"name": "No Department"}, {"name": "Labor"}],
                    "content": "<p>Hallo â€“ du</p>&lt;p&gt;F&amp;amp;E &amp;lt;3&lt;/p&gt;",
                    "absolute_url": "boards.greenhouse.io/heron/jobs/1?a=b c",
                    "first_published": "1777626000000",
                }
            ]
        },
    )
    assert (posting.external_id, posting.title, posting.department) == ("4400123", "R&D Lead", "Labor")
    assert posting.places[0].name == "München"
    assert posting.text == "Hallo \N{EN DASH} du\n\nF&E <3"
    assert posting.apply_url == "https://boards.greenhouse.io/heron/jobs/1?a=b%20c"
    assert posting.posted.show() == "2026-05-01T09:00:00Z"


@pytest.mark.parametrize("name", ["São Paulo", "NÃO", "Zürich", "CAFÉ»", "Älvsjö", "Ångström", "L’Âge d’or"])
def test_what_was_never_misread_stays(name):
    assert read_one("greenhouse", {"jobs": [{"id": 1, "title": name}]}).title == name


@pytest.mark.parametrize("said", ["2026-05-01", "01.05.2026", "1.5.2026", "May 1, 2026", "1 May 2026", "1st May 2026"])
def test_a_day_is_read_in_the_ways_people_write_it(said):
    row = {"title": "Cook", "shortcode": "A", "published_on": said}
    assert read_one("workable", {"name": "Osprey", "jobs": [row]}).posted.show() == "2026-05-01"


def test_a_day_that_two_countries_read_differently_is_left_out():
    row = {"title": "Cook", "shortcode": "A", "published_on": "05/01/2026", "telecommuting": 1}
    posting = read_one("workable", {"name": "Osprey", "jobs": [row]})
    assert posting.posted is None
    assert posting.remote is True


def test_an_offer_that_has_its_words_in_translations_only_is_read():
    told = {"nl": {"title": "Kok"}, "en": {"title": "Cook", "description": "<p>Cook.</p>"}}
    posting = read_one("recruitee", {"offers": [{"id": 1, "title": None, "translations": told}]})
    assert (posting.title, posting.text) == ("Cook", "Cook.")


def test_postings_that_share_a_bullet_are_not_one():
    rows = [
        {"title": "A", "externalPath": "/job/B/A_JR-12", "bulletFields": ["Berlin", "JR-12"]},
        {"title": "B", "externalPath": "/job/B/B_JR-13-1", "bulletFields": ["Berlin", "JR-13"]},
        {"title": "C", "externalPath": "/job/B/C_JR-14", "bulletFields": []},
        {"title": "D", "externalPath": "/job/B/D_R0042-2", "bulletFields": ["Full time"]},
    ]
    page = read("workday", {"total": 4, "jobPostings": rows})
    assert [posting.external_id for posting in page.postings] == ["JR-12", "JR-13", "JR-14", "R0042"]


def test_a_smartrecruiters_posting_has_an_address_without_its_detail():
    row = {"id": "7", "name": "Nurse", "company": {"identifier": "Wren"}}
    assert read_one("smartrecruiters", {"content": [row]}).apply_url == "https://jobs.smartrecruiters.com/Wren/7"


POSITION = "<workzag-jobs><position><id>1</id><name>{}</name><office>M\u00fcnchen</office></position></workzag-jobs>"


@pytest.mark.parametrize(
    "payload",
    [
        f"\n<?xml version='1.0' encoding='UTF-8'?>{POSITION.format('F &amp; E')}".encode(),
        POSITION.format("F & E").encode(),
        POSITION.format("F&nbsp;&amp;&nbsp;E").encode(),
        f"<?xml version='1.0' encoding='UTF-8'?>{POSITION.format('F &amp; E')}".encode("latin-1"),
        f"<?xml version='1.0' encoding='windows-1252'?>{POSITION.format('F &amp; E')}".encode("cp1252"),
        f"<?xml version='1.0' encoding='UTF-16'?>{POSITION.format('F &amp; E')}".encode("utf-16"),
        POSITION.format("F \x0b&amp; E").encode(),
        POSITION.format("<![CDATA[F &amp;amp; E]]>").encode(),
    ],
)
def test_xml_with_faults_that_hide_nothing_is_read(payload):
    posting = read_one("personio", payload)
    assert (posting.title, posting.places[0].name) == ("F & E", "München")


def test_elements_that_somebody_did_not_escape_are_read_as_markup():
    value = "<p>Backen &amp; Kneten</p><ul><li>16,50 &lt; 17 &#8364; pro Stunde</li><li>Nachts</li></ul> Ende"
    section = f"<jobDescriptions><jobDescription><value>{value}</value></jobDescription></jobDescriptions>"
    head = "<workzag-jobs><position><id>1</id><name>Koch</name>"
    posting = read_one("personio", f"{head}{section}</position></workzag-jobs>".encode())
    assert posting.text == "Backen & Kneten\n\n- 16,50 < 17 € pro Stunde\n- Nachts\n\nEnde"


@pytest.mark.parametrize(
    "payload",
    [POSITION.format("F & E")[:-9].encode(), b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + POSITION.format("&a;").encode()],
)
def test_xml_that_is_cut_off_or_brings_entities_is_refused(payload):
    page = read("personio", payload)
    assert not page.is_listing
    assert not page.postings


@pytest.mark.parametrize(
    "payload",
    [
        b'[{"id": "a", "text": "Head\nCook", "description": "a\tb"}]',
        '[{"id": "a", "text": "Head Cook", "description": "a b"}]'.encode("utf-16-le"),
        '[{"id": "a", "text": "Head Cook", "description": "a b"}]'.encode("utf-16-be"),
    ],
)
def test_json_in_odd_encodings_is_read(payload):
    posting = read_one("lever", payload)
    assert (posting.title, posting.text) == ("Head Cook", "a b")


def test_other_kinds_of_values_are_taken_for_what_they_say():
    facts = [{"name": "Remote?", "value": True}]
    greenhouse = read_one("greenhouse", {"jobs": [{"id": 1, "title": "Cook", "location": "Lima", "metadata": facts}]})
    assert (greenhouse.places[0].name, greenhouse.remote) == ("Lima", True)
    smart = read_one("smartrecruiters", {"content": [{"id": "7", "name": "Nurse", "typeOfEmployment": "Full"}]})
    assert smart.employment_type == "full_time"
    dutch = read_one("recruitee", {"offers": [{"id": 1, "title": "Kok", "salary": "€ 3.000 - € 4.000 per maand"}]})
    assert (dutch.pay.min, dutch.pay.max, dutch.pay.period) == (3000, 4000, "month")


def test_a_token_names_the_company_and_not_the_machine():
    row = {"title": "Clerk", "bulletFields": ["R1"], "postedOn": "Vor mehr als 30 Tagen ausgeschrieben"}
    clerk = read_one("workday", {"jobPostings": [row]}, token="stork.wd3/Ext")
    assert (clerk.company, clerk.posted.show()) == ("stork", None)
    assert read_one("lever", [{"id": "a", "text": "Cook"}], token="eu/plover").company == "plover"


@pytest.mark.parametrize(
    ("schedule", "kind"), [("full-or-part-time", "full_time"), ("part-time", "part_time"), ("full-time", "full_time")]
)
def test_what_can_be_had_in_full_time_or_in_part_is_found_among_full_time(schedule, kind):
    facts = f"<id>7</id><name>Nurse</name><employmentType>permanent</employmentType><schedule>{schedule}</schedule>"
    payload = f"<workzag-jobs><position>{facts}</position></workzag-jobs>"
    assert read_one("personio", payload.encode()).employment_type == kind


@pytest.mark.parametrize(
    "said", ["Vollzeit/Teilzeit", "Teilzeit oder Vollzeit", "Full-time or part-time", "FullOrPartTime"]
)
def test_either_way_is_full_time_in_other_words_too(said):
    row = {"id": "7", "name": "Nurse", "typeOfEmployment": {"label": said}}
    assert read_one("smartrecruiters", {"content": [row]}).employment_type == "full_time"


def test_parts_of_a_place_that_nobody_filled_in_leave_no_gap():
    location = {"city": "Köln", "region": "", "country": "de", "fullLocation": "Köln, , Germany"}
    row = {"id": "7", "name": "Nurse", "location": location}
    assert [place.name for place in read_one("smartrecruiters", {"content": [row]}).places] == ["Köln, Germany"]
