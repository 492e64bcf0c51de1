"""The frame that measures peers: what it keeps, what it tells of it, and what it says of a peer that fails."""

import sys

import pytest

from benchmarks.peers import measuring
from benchmarks.peers.catalogue import EVERYBODY, OURS, Store
from benchmarks.peers.chart import draw
from benchmarks.peers.environments import PROGRAMS
from benchmarks.peers.keeping import Book, Round
from benchmarks.peers.measuring import Drained, Look, TooFew, find_rate, measure_enough, watch
from benchmarks.peers.report import Report
from benchmarks.peers.running import Failed, call, started

POSTGRES = OURS[0]


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def make_round(label: str, number: int, *, one: float, four: float = 1.0) -> Round:
    return Round(label=label, number=number, drained={1: one, 2: one, 4: four}, stored={1: 10.0}, picked_up_ms=4.0)


def test_chat_between_the_facts_is_passed_over():
    code = (
        """print("{ welcome }"); print('{"ready": true}'); print("{x"); print('{"waited": 2}', flush=True); input()"""
    )
    with started(python(code)) as program:
        assert program.hear("waited") == 2


def test_a_program_that_ends_badly_is_shown_with_its_own_words():
    with pytest.raises(Failed, match="no such table"):
        call(python("raise SystemExit('no such table')"))
    with started(python("raise SystemExit('no such key')")) as program, pytest.raises(Failed, match="no such key"):
        program.hear("ready")


def test_a_drain_that_stands_still_fails_soon_and_says_what_the_program_said(monkeypatch):
    monkeypatch.setattr(measuring, "STALL_SECONDS", 0.1)
    code = "print('cannot find the queue', flush=True); print('{\"ready\": true}', flush=True); input()"
    with started(python(code)) as program:
        program.hear("ready")
        with pytest.raises(Failed, match=r"(?s)7 of 10 jobs.*cannot find the queue"):
            watch(lambda: 7, 10, [program])


def test_a_look_that_finds_all_done_does_not_count():
    looks = [Look(0.0, 0), Look(1.0, 20), Look(2.0, 60), Look(9.0, 100)]
    assert find_rate(looks, 100) == 40.0
    with pytest.raises(TooFew, match="done in a moment"):
        find_rate([Look(0.0, 0), Look(1.0, 60), Look(9.0, 100)], 100)


def test_too_few_jobs_are_made_more_until_something_can_be_seen(monkeypatch):
    asked: list[int] = []

    def drain(*_, jobs: int, processes: int) -> Drained:
        asked.append(jobs)
        if jobs < 100_000:
            raise TooFew("done in a moment")
        return Drained(stored=1.0, drained=processes)

    monkeypatch.setattr(measuring, "measure_drain", drain)
    assert measure_enough(POSTGRES, [], "everysec", jobs=2_000, processes=2) == (
        200_000,
        Drained(stored=1.0, drained=2),
    )
    assert asked == [2_000, 20_000, 200_000]


def test_the_raw_loop_runs_wherever_it_is_started_from(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path / 'raw.db'}"
    program = [sys.executable, str(PROGRAMS / "raw.py")]
    call(program, url, "prepare")
    assert call(program, url, "enqueue", "500")["seconds"] > 0


def test_a_round_goes_on_where_it_was_broken_off_with_as_many_jobs(tmp_path):
    book = Book(tmp_path)
    first = book.open_round(POSTGRES, 1, "everysec")
    first.jobs, first.drained[1] = 5_000, 100.0
    book.write(first)
    assert book.open_round(POSTGRES, 1, "everysec") == first
    assert book.open_round(POSTGRES, 2, "everysec").jobs == 5_000
    assert book.read() == [first]


def test_what_redis_keeps_is_told_apart(tmp_path):
    book = Book(tmp_path)
    for persistence in ("everysec", "always"):
        book.write(Round(label="Dibs on redis", number=1, persistence=persistence))
    assert [one.persistence for one in book.read("always")] == ["always"]


def test_ratios_are_taken_within_a_round():
    report = Report(
        [
            make_round("Dibs on postgres", 1, one=300),
            make_round("Dibs on postgres", 2, one=30),
            make_round("PgQueuer on postgres", 1, one=100),
            make_round("PgQueuer on postgres", 2, one=10),
        ]
    )
    assert report.ratios("Dibs on postgres", "PgQueuer on postgres", lambda one: one.drained[1]) == [3.0, 3.0]
    assert "| PgQueuer | 55 | 3.00 x |" in report.table(Store.POSTGRES)


def test_targets_say_what_was_reached():
    slower = make_round("Dibs on postgres", 1, one=160, four=120)
    targets = Report([slower, make_round("PgQueuer on postgres", 1, one=100)]).targets()
    assert "| postgres drain, one process, to PgQueuer | 1.5 x | - | 1.6 x (1.60 to 1.60) | must |" in targets
    assert "| postgres: four processes against one | 1 x | - | 0.75 x (0.75 to 0.75) | missed |" in targets
    assert "| postgres pick-up | 5 ms | 2.5 ms | 4 ms (4.00 to 4.00) | must |" in targets
    assert "| redis pick-up | 2 ms | 1.1 ms | not measured |  |" in targets


def test_the_chart_has_a_bar_for_everybody_who_was_measured():
    picture = draw({"postgres": [("Dibs", 30.0), ("a < b", 10.0)], "sqlite": []})
    assert picture.count("<rect") == 3
    assert "a &lt; b" in picture
    assert "sqlite" not in picture


@pytest.mark.parametrize("peer", EVERYBODY, ids=lambda peer: peer.label)
def test_everybody_has_a_program_and_says_how_it_is_run(peer):
    assert (PROGRAMS / peer.program).is_file()
    assert peer.note
