from collections import Counter
from itertools import pairwise

import phonenumbers

from evals.resumes.library import Order
from evals.resumes.people import make_person
from evals.resumes.templates import TEMPLATES, find_templates


def test_the_same_seed_gives_the_same_person():
    assert make_person("a") == make_person("a")
    assert make_person("a").resume != make_person("b").resume


def test_people_come_from_many_countries_and_most_write_english():
    people = [make_person(f"crowd-{number}") for number in range(300)]
    languages = Counter(person.language for person in people)
    assert languages["en"] > 150
    assert set(languages) == {"en", "de", "fr", "es"}
    assert len({person.country for person in people}) >= 15
    assert len({person.resume["basics"]["name"] for person in people}) > 250


def test_phone_numbers_could_be_dialled():
    for number in range(60):
        basics = make_person(f"caller-{number}").resume["basics"]
        parsed = phonenumbers.parse(basics["phone"], basics["location"]["countryCode"])
        assert phonenumbers.is_possible_number(parsed), basics["phone"]


def test_careers_go_back_in_time_without_overlaps():
    for number in range(60):
        work = make_person(f"worker-{number}").resume["work"]
        for later, earlier in pairwise(work):
            assert earlier["endDate"] <= later["startDate"]
            assert earlier["startDate"] < earlier["endDate"]


def test_a_page_that_shows_years_is_expected_to_give_years():
    template = next(one for one in TEMPLATES if "year" in one.traits.dates)
    sheets = [Order(template, number, ("pdf",)).sheet() for number in range(40)]
    yearly = [sheet for sheet in sheets if len(sheet.truth["work"][0]["startDate"]) == 4]
    assert yearly
    assert all("/" not in sheet.work[0].dates for sheet in yearly)


def test_whole_templates_are_kept_aside_and_nobody_stands_on_both_sides():
    aside, open_ones = find_templates(aside=True), find_templates(aside=False)
    assert len(open_ones) >= 12
    assert {one.layout for one in aside} >= {"single", "columns", "sidebar", "rail"}
    names = {
        make_person(Order(one, number, ()).name).resume["basics"]["email"] for one in aside for number in range(10)
    }
    others = {
        make_person(Order(one, number, ()).name).resume["basics"]["email"] for one in open_ones for number in range(10)
    }
    assert not names & others
