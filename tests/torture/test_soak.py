"""What a soak measures, and when it calls a row of figures flat."""

import os
import random
import sys
from datetime import timedelta

import pytest

from dibs.torture.measuring.flatness import FEWEST, find_growth, find_trend
from dibs.torture.measuring.minutes import Minutes, find_percentiles
from dibs.torture.measuring.vitals import Vitals, read_vitals, time_sync
from dibs.torture.soak import make_soak

HOUR = range(60)


def test_what_grows_a_little_every_minute_is_named():
    assert find_growth("w", "resident_mib", [60 + minute * 0.2 for minute in HOUR])
    assert find_growth("w", "handles", [20 + minute // 8 for minute in HOUR])
    assert find_growth("w", "p50_ms", [20 + minute * 5 for minute in HOUR])
    [told] = find_growth("w", "p99_ms", [100 * minute for minute in HOUR])
    assert told == "w: p99_ms rises by 4400.0 over the run, from a median of 3700.0"


def test_what_settles_in_the_first_quarter_is_flat():
    assert find_growth("w", "resident_mib", [min(60, 40 + minute * 2) for minute in HOUR]) == []


def test_chance_and_a_few_wild_minutes_are_flat():
    chance = random.Random(1)
    noisy = [50 + chance.gauss(0, 3) for _ in HOUR]
    assert find_growth("w", "resident_mib", noisy) == []
    wild = [20_000.0 if minute in range(48, 60) else 30.0 for minute in HOUR]
    assert find_growth("w", "p99_ms", wild) == []


def test_what_falls_is_no_leak():
    assert find_growth("w", "resident_mib", [90 - minute for minute in HOUR]) == []


def test_too_few_figures_say_nothing():
    assert find_trend([float(number) for number in range(FEWEST)]) is None
    assert find_growth("w", "handles", [1, 100]) == []


def test_percentiles_are_told_in_milliseconds():
    assert find_percentiles([]) == (0.0, 0.0)
    assert find_percentiles([number / 1000 for number in range(1, 101)]) == (51.0, 100.0)


def test_a_minute_tells_of_the_largest_worker_and_of_all_jobs():
    minutes = Minutes()
    for pid, resident in ((1, 50.0), (1, 52.0), (1, 51.0), (2, 40.0)):
        minutes.note(pid, Vitals(resident_mib=resident, handles=20 + pid, threads=4))
    minutes.note_sync(0.005)
    minutes.close([0.02, 0.03, 0.01])
    minutes.close([])
    [first, second] = minutes.rows
    assert (first.workers, first.resident_mib, first.handles) == (2, 51.0, 22)
    assert (first.finished, first.p50_ms, first.sync_ms) == (3, 20.0, 5.0)
    assert (second.workers, second.finished) == (0, 0)
    assert any(line.startswith("jobs: p50_ms too few to judge") for line in minutes.describe())


def test_growth_is_found_in_each_worker_by_itself():
    minutes = Minutes()
    for minute in HOUR:
        minutes.note(1, Vitals(resident_mib=50.0 + minute, handles=20, threads=4))
        minutes.note(2, Vitals(resident_mib=200.0, handles=20, threads=4))
        minutes.close([0.02])
    [complaint] = minutes.find_growth()
    assert complaint.startswith("worker 1: resident_mib rises")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_vitals_of_a_process_can_be_read():
    found = read_vitals(os.getpid())
    assert found is not None
    assert found.resident_mib > 1
    assert found.handles > 2
    assert read_vitals(2**22 + 5) is None


def test_the_yardstick_is_a_page_that_was_synced(tmp_path):
    assert time_sync(tmp_path) > 0
    assert (tmp_path / "yardstick").stat().st_size == 4096


def test_a_soak_is_a_scenario_that_may_take_its_time():
    soak = make_soak(timedelta(hours=2))
    assert soak.longest > timedelta(hours=2)
    assert soak.expect({}) == []
