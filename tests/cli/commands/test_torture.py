"""`dibs torture`: what it lists, refuses, tells and leaves with. The plays themselves are in tests/torture."""

import json
import signal
from pathlib import Path

import pytest

from dibs.testing.servers.process import wait_until
from dibs.torture import campaign
from dibs.torture.report.cells import Cell, CellVerdict, Rates

CELL = Cell(
    scenario="freeze",
    title="SIGSTOP past the lease, and SIGCONT",
    store="sqlite",
    seed=1,
    verdict=CellVerdict.HOLDS,
    rates=Rates(before=30.0, during=15.0, after=31.0, back_after=0.5),
)
BROKEN = Cell(scenario="freeze", title="t", store="sqlite", seed=1, verdict=CellVerdict.BROKEN, reason="job-1: twice")


@pytest.fixture
def plans(monkeypatch):
    """Play nothing; remember what should have been played."""
    asked = []

    def give(*cells):
        async def run_campaign(plan, tell):
            asked.append(plan)
            for cell in cells:
                tell(cell)
            return list(cells)

        monkeypatch.setattr(campaign, "run_campaign", run_campaign)
        return asked

    return give


def test_the_scenarios_are_listed_with_what_this_store_lacks(dibs):
    done = dibs("torture", "--list")
    assert done.code == 0
    assert "kill-mid-job: kill -9 of a worker in the middle of a job\n" in done.out
    assert "half-open: connections that fall silent and never speak again (not on this store: needs a store" in done.out


def test_an_unknown_scenario_is_refused(dibs):
    done = dibs("torture", "--scenario", "kill-everything")
    assert done.code == 2
    assert "there is no scenario 'kill-everything'. There are: kill-mid-job" in done.err


def test_a_store_in_memory_is_refused(dibs):
    done = dibs("torture", "--url", "memory://", "--scenario", "freeze")
    assert done.code == 2
    assert "cannot be tortured" in done.err


def test_minutes_and_hours_together_are_refused(dibs):
    assert dibs("torture", "--minutes", "5", "--hours", "1").code == 2


def test_a_soak_that_shall_break_something_is_refused(dibs, plans):
    played = plans(CELL)
    assert dibs("torture", "--soak", "--scenario", "freeze").code == 2
    assert played == []


@pytest.mark.parametrize("name", ["nowhere/proof.html", "."])
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_played(dibs, plans, room, name):
    played = plans(CELL)
    done = dibs("torture", "--scenario", "freeze", "--report", str(room / name))
    assert done.code == 2
    assert "cannot be written" in done.err
    assert played == []


def test_each_cell_is_told_and_all_that_hold_end_with_0(dibs, plans):
    plans(CELL)
    done = dibs("torture", "--scenario", "freeze")
    assert done.code == 0
    assert "holds  freeze on sqlite, 30 jobs/s before, 15 during, 31 after\n" in done.out
    assert "1 cell: 1 holds." in done.out


def test_a_broken_cell_ends_with_1_and_says_why(dibs, plans):
    plans(CELL, BROKEN)
    done = dibs("torture")
    assert done.code == 1
    assert "broken  freeze on sqlite: job-1: twice" in done.out


def test_the_report_is_written_as_page_and_data(dibs, plans, room):
    plans(CELL)
    assert dibs("torture", "--report", "proof.html").code == 0
    assert "<svg" not in (room / "proof.html").read_text().partition("<section")[0]
    assert json.loads((room / "proof.json").read_text())["cells"][0]["verdict"] == "holds"


def test_what_is_asked_for_is_played(dibs, plans):
    asked = plans(CELL)
    dibs("torture", "--scenario", "poison", "--scenario", "freeze", "--minutes", "3", "--pace", "12", "--seed", "4")
    dibs("torture", "--soak", "--minutes", "30")
    first, second = asked
    assert [scenario.name for scenario in first.scenarios] == ["poison", "freeze"]
    assert (first.length.total_seconds(), first.tempo.pace, first.seed) == (180, 12, 4)
    assert [scenario.name for scenario in second.scenarios] == ["soak"]
    assert second.length is None
    assert "0:30:00" in second.scenarios[0].title


def test_a_run_that_is_stopped_in_the_middle_still_reports_what_was_played(dibs, monkeypatch, room):
    async def run_campaign(plan, tell):
        tell(CELL)
        raise KeyboardInterrupt

    monkeypatch.setattr(campaign, "run_campaign", run_campaign)
    done = dibs("torture", "--report", "proof.json")
    assert done.code == 130
    assert len(json.loads((room / "proof.json").read_text())["cells"]) == 1


@pytest.mark.system
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_who_is_told_to_stop_takes_the_workers_along(program, tmp_path, number, code):
    process = program("torture", "--url", f"sqlite:///{tmp_path / 'tortured.db'}", "--scenario", "kill-mid-job")
    wait_until(lambda: bool(find_crew(process.pid)), "a worker")
    crew = find_crew(process.pid)
    process.send_signal(number)
    assert process.wait(60) == code
    assert not [pid for pid in crew if Path(f"/proc/{pid}").exists()]


def find_crew(pid: int) -> list[int]:
    """The workers that a process has started."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
