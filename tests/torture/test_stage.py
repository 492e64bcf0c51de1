"""What stands on the stage: places of our own, growth, vitals, disks."""

import os
import resource
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

import dibs
from dibs.errors import BadInput
from dibs.torture.faults.disk import copy_as_after_power_cut, filling_disk
from dibs.torture.history.diary import Diary
from dibs.torture.history.records import Answered, Asked, Move, Outcome
from dibs.torture.scenarios.catalogue import find_scenarios
from dibs.torture.soak import Vitals, find_delay, find_growth, make_soak, read_vitals
from dibs.torture.stage.places import make_place
from dibs.torture.stage.watch import Watch


def test_a_place_in_a_file_is_a_file_beside_it(tmp_path):
    place = make_place(f"sqlite:///{tmp_path}/jobs.db?synchronous=normal", "ab12")
    assert place.file == tmp_path / "jobs.torture-ab12.db"
    assert place.url.endswith("?synchronous=normal")
    assert place.address is None


def test_a_place_in_a_server_is_a_schema_or_a_namespace_whatever_the_url_said():
    place = make_place("postgresql://me:word@db.example:6000/shop?schema=dibs&sslmode=disable", "ab12")
    assert place.address == ("db.example", 6000)
    assert "schema=dibs_torture_ab12" in place.url
    assert "sslmode=disable" in place.url
    through = place.through("127.0.0.1", 7000, pool_size="2")
    assert through.startswith("postgresql://me:word@127.0.0.1:7000/shop?")
    assert "pool_size=2" in through
    assert "namespace=torture-ab12" in make_place("redis://h:1/0?namespace=mine", "ab12").url
    assert make_place("rediss://h:1/0", "ab12").address is None


def test_a_store_in_memory_cannot_be_tortured():
    with pytest.raises(BadInput, match="only a store that processes share"):
        make_place("memory://", "ab12")


def test_an_unknown_scenario_is_refused_with_those_there_are():
    with pytest.raises(BadInput, match="There are: kill-mid-job"):
        find_scenarios(["kill-everything"])


def vitals(number: int, resident: int, handles: int = 20, threads: int = 5) -> Vitals:
    return Vitals(at=float(number), resident_kib=resident, handles=handles, threads=threads)


def test_what_grows_is_named_and_what_settles_is_not():
    assert find_growth("w", [vitals(number, 60_000 + number * 1_000) for number in range(40)])
    assert find_growth("w", [vitals(number, 60_000, handles=20 + number) for number in range(40)])
    settled = [vitals(number, min(60_000, 40_000 + number * 4_000)) for number in range(40)]
    assert find_growth("w", settled) == []
    assert find_growth("w", settled[:4]) == []


def test_jobs_that_take_longer_and_longer_are_named():
    even = [(float(at), 0.02) for at in range(100)]
    notes: list[str] = []
    assert find_delay(even, 0.0, 100.0, notes) == []
    assert notes == ["half of the jobs were finished within 20 ms early, 20 ms late"]
    assert find_delay([(at, at * 0.05) for at, _ in even], 0.0, 100.0, notes)
    assert find_delay([], 0.0, 100.0, notes)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_vitals_of_a_process_can_be_read():
    found = read_vitals(os.getpid())
    assert found is not None
    assert found.resident_kib > 1_000
    assert found.handles > 2
    assert read_vitals(2**22 + 5) is None


def test_a_soak_is_a_scenario_that_may_take_its_time():
    soak = make_soak(timedelta(hours=2))
    assert soak.longest > timedelta(hours=2)
    assert soak.expect({}) == []


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process")
def test_a_full_disk_stops_growth_and_room_comes_back(tmp_path: Path):
    program = """
import signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for line in sys.stdin:
    try:
        with open(line.strip(), "ab", buffering=0) as file:
            file.write(b"x" * 200_000)
        print("grown", flush=True)
    except OSError as error:
        print("full", flush=True)
"""
    grown = tmp_path / "jobs.db"
    grown.write_bytes(b"x" * 150_000)
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        pipes = child.stdin, child.stdout
        assert pipes[0] is not None
        assert pipes[1] is not None
        questions, answers = pipes[0], pipes[1]

        def write() -> str:
            questions.write(f"{grown}\n")
            questions.flush()
            return answers.readline().strip()

        before = resource.prlimit(child.pid, resource.RLIMIT_FSIZE)
        with filling_disk([child.pid]):
            assert write() == "full"
        assert resource.prlimit(child.pid, resource.RLIMIT_FSIZE) == before
        assert write() == "grown"
        questions.close()


async def test_a_power_cut_keeps_what_was_acknowledged_and_drops_what_was_torn(tmp_path: Path):
    path, copy = tmp_path / "jobs.db", tmp_path / "copy.db"
    async with await dibs.open_backend(f"sqlite:///{path}") as backend:
        await backend.store_jobs([dibs.Job(id=f"job-{number}", job_type="test") for number in range(50)])
        copy_as_after_power_cut(path, copy, os.urandom(4096))
    async with await dibs.open_backend(f"sqlite:///{copy}") as backend:
        assert (await backend.reader.count_jobs(dibs.JobFilter()))[dibs.State.PENDING] == 50


def test_the_watch_knows_how_long_jobs_took_whichever_diary_it_reads_first(tmp_path: Path):
    first, last = Diary(tmp_path, "a-worker"), Diary(tmp_path, "z-load")
    for number, job_id in enumerate(["one", "two", "three"], 1):
        last.write(Asked(number=number, at=1.0, move=Move.ENQUEUE, jobs=[job_id]))
        last.write(Answered(number=number, at=2.0, outcome=Outcome.OK, answers=["stored"]))
    first.write(Asked(number=1, at=3.0, move=Move.COMPLETE, jobs=["one", "two"], tokens=[1, 2]))
    first.write(Answered(number=1, at=4.5, outcome=Outcome.OK, answers=[True, False]))
    watch = Watch(tmp_path)
    watch.look()
    assert watch.latencies == [(4.5, 2.5)]
    assert watch.finished == [4.5]
    first.write(Asked(number=2, at=5.0, move=Move.COMPLETE, jobs=["two"], tokens=[2]))
    first.write(Answered(number=2, at=6.0, outcome=Outcome.OK, answers=[True]))
    last.write(Asked(number=9, at=5.0, move=Move.CANCEL, jobs=["three"]))
    last.write(Answered(number=9, at=5.5, outcome=Outcome.OK, answers=["cancelled"]))
    watch.look()
    assert watch.latencies == [(4.5, 2.5), (6.0, 4.0)]
    assert watch.rate(4.0, 8.0) == 0.5


async def test_the_watch_waits_until_nothing_is_left_waiting(tmp_path: Path):
    diary, watch = Diary(tmp_path, "load"), Watch(tmp_path)
    diary.write(Asked(number=1, at=1.0, move=Move.ENQUEUE, jobs=["one"]))
    diary.write(Answered(number=1, at=2.0, outcome=Outcome.OK, answers=["stored"]))
    assert not await watch.until_caught_up(0, 0.0)
    assert await watch.until_caught_up(1, 0.0)
