"""The report tells what came out, in data and in a page that needs nothing else."""

import json
import re
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from dibs.torture.campaign import CampaignPlan, run_campaign
from dibs.torture.checker.notes import Broken, Invariant, Notes, merge_tallies
from dibs.torture.playing import Ground, find_obstacle, make_timeline
from dibs.torture.report.cells import Beat, Cell, CellVerdict, Fault, Minute, Rates, Run
from dibs.torture.report.drawing import draw_timeline
from dibs.torture.report.page import render_page, summarise
from dibs.torture.report.writing import Reporter, write_report
from dibs.torture.scenarios.catalogue import SCENARIOS, find_scenarios

NOTES = Notes()
NOTES.check(Invariant.FENCED, False, "job-1", "complete of token 3 was accepted <late>")
NOTES.check(Invariant.KEPT, True, "job-1", "")


def make_cell(verdict: CellVerdict = CellVerdict.HOLDS, **facts: object) -> Cell:
    given: dict[str, Any] = {
        "scenario": "freeze",
        "title": "SIGSTOP & SIGCONT",
        "store": "sqlite",
        "seed": 1,
        "rates": Rates(before=30.0, during=12.5, after=31.0, back_after=1.5),
        "timeline": [Beat(second=second, stored=30, finished=second) for second in range(12)],
        "faults": [Fault(what="a worker frozen", begin=3.0, end=6.5)],
    }
    return Cell(verdict=verdict, **{**given, **facts})


def make_run(*cells: Cell) -> Run:
    return Reporter().sum_up(list(cells))


def test_a_run_holds_only_if_something_was_shown_and_nothing_is_wrong():
    assert make_run(make_cell(), make_cell(CellVerdict.NOT_RUN)).holds
    assert not make_run(make_cell(CellVerdict.NOT_RUN)).holds
    for verdict in (CellVerdict.BROKEN, CellVerdict.SLOW, CellVerdict.FAULT):
        assert not make_run(make_cell(), make_cell(verdict)).holds


def test_the_page_needs_nothing_else_and_says_what_broke():
    cell = make_cell(CellVerdict.BROKEN, reason="job-1: <late>", tally=NOTES.tally(), notes=["5 workers killed"])
    page = render_page(make_run(cell, make_cell(CellVerdict.NOT_RUN, store="redis", reason="needs a file")))
    assert "2 cells: 1 broken, 1 not run." in page
    assert "complete of token 3 was accepted &lt;late&gt;" in page
    assert "<late>" not in page
    assert "back 1.5 s after the fault" in page
    assert "5 workers killed" in page
    assert not re.search(r"(src|href)=\"(?!#)", page)


def test_a_soak_is_told_minute_by_minute():
    figures = {"resident_mib": 51.5, "handles": 21, "threads": 4, "p50_ms": 17.25, "p99_ms": 40, "sync_ms": 3}
    minute = Minute(number=7, workers=2, finished=600, load=1.5, **figures)
    page = render_page(make_run(make_cell(minutes=[minute])))
    assert "<th>resident_mib</th>" in page
    assert '<td class="n">17.25</td>' in page
    assert "Minute by minute" not in render_page(make_run(make_cell()))


def test_the_picture_is_sound_and_shows_when_it_broke():
    root = ET.fromstring(draw_timeline(make_cell()))  # noqa: S314 - our own
    kinds = [element.get("class") for element in root]
    assert kinds.count("finished") == 11
    assert kinds.count("fault") == 1
    assert "a worker frozen, 3.0 s to 6.5 s" in "".join(root.itertext())


def test_a_report_is_a_page_with_its_data_or_the_data_alone(tmp_path):
    run = make_run(make_cell(tally=merge_tallies([NOTES.tally()])))
    assert {path.name for path in write_report(run, tmp_path / "proof.html")} == {"proof.html", "proof.json"}
    assert [path.name for path in write_report(run, tmp_path / "only.json")] == ["only.json"]
    data = json.loads((tmp_path / "proof.json").read_text())
    assert data["cells"][0]["tally"]["failed"][Invariant.FENCED] == 1
    assert data["cells"][0]["rates"]["back_after"] == 1.5


def test_complaints_of_a_scenario_count_as_broken():
    complaint = Broken(invariant=Invariant.EXPECTED, subject="poison", message="was not given up")
    assert merge_tallies([]).holds
    assert not merge_tallies([], [complaint]).holds


def test_an_empty_history_has_a_short_timeline():
    from dibs.torture.history.reading import History  # noqa: PLC0415

    assert make_timeline(History(operations=[]), 0.0) == [Beat(second=0, stored=0, finished=0)]


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=lambda one: one.name)
def test_every_scenario_says_what_it_needs_on_every_store(scenario):
    needs = {url: find_obstacle(scenario, Ground(name=url, url=url)) for url in ("sqlite:///a.db", "redis://h/0")}
    if scenario.needs:
        assert any(needs.values())
    else:
        assert not any(needs.values())


async def test_a_campaign_plays_each_cell_once_or_until_the_time_is_up():
    played = []

    async def play(scenario, ground, seed, tempo):
        played.append((scenario.name, ground.name, seed))
        return make_cell(CellVerdict.NOT_RUN if ground.name == "b" else CellVerdict.HOLDS)

    grounds = [Ground(name=name, url="sqlite:///x.db") for name in ("a", "b")]
    plan = CampaignPlan(scenarios=find_scenarios(["freeze", "poison"]), grounds=grounds)
    cells = await run_campaign(plan, lambda _: None, play)
    assert len(cells) == 4
    assert played == [("freeze", "a", 1), ("freeze", "b", 1), ("poison", "a", 1), ("poison", "b", 1)]
    endless = CampaignPlan(scenarios=plan.scenarios, grounds=grounds, length=timedelta(milliseconds=50))
    played.clear()
    await run_campaign(endless, lambda _: None, play)
    assert len(played) > 4
    assert sum(name == "b" for _, name, _ in played) == 2


def test_a_summary_counts_verdicts():
    assert summarise(make_run()) == "0 cells: nothing was played."
