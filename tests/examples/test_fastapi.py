"""Reports over real HTTP, with the worker in a process of its own."""

from typing import Any

import pytest

from tests.examples.programs import Site


@pytest.fixture
def site(tmp_path):
    with Site("fastapi_app", web="main:web", worker="main:jobs", DIBS_URL=f"sqlite:///{tmp_path}/jobs.db") as site:
        yield site


def ask(site: Site, city: str) -> Any:
    answer = site.client.post("/reports", params={"city": city})
    assert answer.status_code == 202, answer.text
    return answer.json()


def read(site: Site, job: Any) -> Any:
    return site.client.get(f"/reports/{job['id']}").json()


def test_a_report_is_asked_for_made_and_read(site):
    job = ask(site, "Oslo")
    assert job["state"] == "pending"
    assert read(site, job)["state"] == "pending"
    site.work()
    assert read(site, job) == {
        "state": "succeeded",
        "progress": {"percent": 50},
        "report": {"title": "Report on Oslo"},
        "error": None,
    }


def test_asking_twice_makes_one_report(site):
    first, second = ask(site, "Oslo"), ask(site, "Oslo")
    assert first["id"] == second["id"]


def test_a_report_that_cannot_be_made_says_why(site):
    job = ask(site, "B3rlin")
    site.work()
    found = read(site, job)
    assert (found["state"], found["error"]) == ("failed", "'B3rlin' is no city")


def test_an_unknown_report_is_not_found(site):
    assert site.client.get("/reports/nothing").status_code == 404
