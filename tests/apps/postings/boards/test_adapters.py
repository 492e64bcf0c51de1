"""Each board's answers become the same record."""

from decimal import Decimal
from typing import Any

import pytest

from dibs.apps.postings.boards.board import Step
from dibs.apps.postings.boards.shelf import BOARDS, add_detail, get_board
from dibs.apps.postings.model import Pay, Period, Precision, Workplace, show_posting
from dibs.errors import BadInput
from tests.apps.postings.boards import payloads
from tests.apps.postings.boards.reading import read, read_one

LINE = [
    "external_id",
    "title",
    "company",
    "locations",
    "remote",
    "department",
    "employment_type",
    "pay",
    "posted_at",
    "updated_at",
    "apply_url",
    "text",
]


def names(posting):
    return [place.name for place in posting.places]


def test_greenhouse_unescapes_its_html_and_splits_its_places():
    posting = read_one("greenhouse", payloads.GREENHOUSE)
    assert (posting.external_id, posting.title, posting.company) == (
        "4400123",
        "Staff Engineer & Lead",
        "Heron Freight",
    )
    assert names(posting) == ["Berlin, Germany", "London, UK"]
    assert (posting.workplace, posting.department, posting.employment_type) == (
        Workplace.HYBRID,
        "Platform",
        "full_time",
    )
    assert posting.text == "Build & run things.\n\n- Ship"
    assert posting.posted.show() == "2026-05-01T13:00:00Z"
    assert posting.updated.show() == "2026-05-03T14:30:00Z"


def test_greenhouse_twice_escaped_reads_the_same():
    row = payloads.GREENHOUSE["jobs"][0]
    twice = {**row, "content": row["content"].replace("&", "&amp;")}
    assert read_one("greenhouse", {"jobs": [twice]}).text == "Build & run things.\n\n- Ship"


def test_greenhouse_tells_remote_by_the_name_of_the_place():
    assert read("greenhouse", payloads.GREENHOUSE).postings[1].remote is True


def test_a_greenhouse_detail_has_pay_in_cents_and_every_question():
    posting = read_one("greenhouse", payloads.GREENHOUSE_DETAIL)
    assert posting.pay == Pay(
        min=Decimal(90000), max=Decimal(120000), currency="EUR", period=Period.YEAR, is_structured=True
    )
    assert [one.label for one in posting.questions] == [
        "Are you authorized to work in Germany?",
        "Gender",
        "Veteran status",
    ]
    assert posting.questions[0].options == ("Yes", "No")
    assert posting.questions[0].required


def test_lever_joins_its_pieces_of_text_and_reads_milliseconds():
    posting = read_one("lever", payloads.LEVER)
    assert posting.text == "Sell honest goods.\n\nYou bring\n\n- patience\n- a phone\n\nWrite to us."
    assert (names(posting), posting.workplace) == (["Toronto", "Vancouver"], Workplace.ONSITE)
    assert posting.pay.period is Period.YEAR
    assert (posting.pay.min, posting.pay.currency) == (70000, "CAD")
    assert (posting.company, posting.posted.show()) == ("plover", "2026-05-01T09:00:00Z")
    assert posting.updated is None


def test_ashby_reads_pay_from_the_summary_and_the_workplace_before_the_flag():
    page = read("ashby", payloads.ASHBY)
    posting = page.postings[0]
    assert len(page.postings) == 1
    assert (posting.pay.min, posting.pay.max, posting.pay.currency, posting.pay.period) == (
        150000,
        180000,
        "USD",
        Period.YEAR,
    )
    assert posting.workplace is Workplace.HYBRID
    assert names(posting) == ["New York", "San Francisco"]
    assert posting.employment_type == "full_time"


def test_ashby_pay_as_text_is_read_where_the_parts_are_missing():
    row = payloads.ASHBY["jobs"][0]
    row = {**row, "compensation": {"compensationTierSummary": "£60K – £75K • Offers Equity"}}
    pay = read_one("ashby", {"jobs": [row]}).pay
    assert (pay.min, pay.max, pay.currency, pay.is_structured) == (60000, 75000, "GBP", False)


def test_workable_rows_of_one_posting_are_one_posting_with_all_its_places():
    page = read("workable", payloads.WORKABLE)
    assert len(page.postings) == 1
    posting = page.postings[0]
    assert names(posting) == ["Athens, Greece", "Patras, Greece"]
    assert (posting.company, posting.remote, posting.employment_type) == ("Osprey Labs", False, "part_time")
    assert (posting.posted.show(), posting.posted.precision) == ("2026-05-04", Precision.DAY)
    assert (posting.pay.min, posting.pay.period) == (1500, Period.MONTH)


def test_smartrecruiters_is_completed_by_its_detail():
    listed = read_one("smartrecruiters", payloads.SMARTRECRUITERS)
    assert (listed.text, listed.pay) == ("", None)
    whole: Any = add_detail(listed, read_one("smartrecruiters", payloads.SMARTRECRUITERS_DETAIL))
    assert whole.text == "Qui sommes-nous\n\nUn hôpital.\n\nLe poste\n\nSalaire : 32 000 € à 38 000 € brut annuel"
    assert (whole.pay.min, whole.pay.max, whole.pay.currency) == (32000, 38000, "EUR")
    assert (whole.company, names(whole), whole.department) == ("Wren Hospitals", ["Lyon, France"], "Care")


def test_recruitee_numbers_are_texts_and_its_form_is_known():
    posting = read_one("recruitee", payloads.RECRUITEE)
    assert (posting.pay.min, posting.pay.max, posting.pay.period) == (2400, Decimal("2900.5"), Period.MONTH)
    assert [(one.label, one.required) for one in posting.questions] == [
        ("Resume", True),
        ("Heb je een rijbewijs?", True),
    ]
    assert (names(posting), posting.remote) == (["Utrecht, Nederland"], False)
    assert posting.employment_type == "part_time"
    assert posting.posted.show() == "2026-04-21T09:30:00Z"


def test_personio_xml_is_read_and_repeated_ids_are_joined():
    page = read("personio", payloads.PERSONIO, token="kranich")
    assert len(page.postings) == 1
    posting = page.postings[0]
    assert names(posting) == ["München", "Wien", "Graz"]
    assert posting.text == "Deine Aufgaben\n\n- Schrauben & Schweißen\n\nGehalt\n\n3.200 bis 3.800 € brutto im Monat"
    assert (posting.pay.min, posting.pay.max, posting.pay.period) == (3200, 3800, Period.MONTH)
    assert (posting.company, posting.employment_type) == ("Kranich GmbH", "full_time")
    assert posting.url == "https://kranich.jobs.personio.de/job/31415"


def test_personio_xml_with_a_document_type_is_refused():
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    page = read("personio", bomb + b"<workzag-jobs><position><id>&b;</id></position></workzag-jobs>")
    assert not page.is_listing
    assert "document type" in page.faults[0].message


def test_workday_reads_days_in_words_as_of_the_day_it_was_asked():
    analyst, clerk = read("workday", payloads.WORKDAY, token="stork.wd3/Ext").postings
    assert (analyst.external_id, analyst.posted.show(), analyst.posted.precision) == (
        "R-0042",
        "2026-05-07",
        Precision.RELATIVE,
    )
    assert (clerk.external_id, clerk.posted.precision, clerk.posted.show()) == ("R-0043", Precision.BEFORE, None)
    assert clerk.places == ()
    assert analyst.apply_url == "https://stork.wd3.myworkdayjobs.com/Ext/job/Zurich/Analyst_R-0042-1"


def test_a_workday_detail_has_places_text_and_pay():
    listed = read("workday", payloads.WORKDAY).postings[0]
    whole: Any = add_detail(listed, read_one("workday", payloads.WORKDAY_DETAIL))
    assert (names(whole), whole.company) == (["Zurich", "Geneva"], "Stork Bank")
    assert (whole.pay.min, whole.pay.max, whole.pay.currency) == (95000, 110000, "CHF")
    assert whole.posted.precision is Precision.DAY
    assert whole.detail_path == "/job/Zurich/Analyst_R-0042-1"
    assert whole.is_open


def test_a_workday_detail_that_cannot_be_applied_to_is_closed():
    info = {**payloads.WORKDAY_DETAIL["jobPostingInfo"], "canApply": False}
    assert read_one("workday", {"jobPostingInfo": info}).is_open is False


def test_a_line_has_the_names_that_were_promised():
    line = show_posting(read_one("lever", payloads.LEVER))
    assert list(line) == LINE
    assert line["pay"] == {"min": 70000, "max": 90000, "currency": "CAD", "period": "year"}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("token", ["", "../etc", "a b", "acme?x=1", "acme/../x", "user@host", "a/b/c", "x" * 300])
def test_a_token_that_leads_elsewhere_is_refused(board, token):
    with pytest.raises(BadInput):
        get_board(board).ask_page(token, Step())


def test_lever_in_europe_is_another_host():
    assert (
        get_board("lever").ask_page("eu/plover", Step()).url.startswith("https://api.eu.lever.co/v0/postings/plover?")
    )


def test_an_unknown_board_is_refused_with_those_that_there_are():
    with pytest.raises(BadInput, match="greenhouse, lever, ashby"):
        get_board("monster")
