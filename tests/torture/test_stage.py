"""What stands on the stage: places of our own, disks."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import dibs
from dibs.backends.postgres.wire.address import read_address
from dibs.errors import BadInput
from dibs.torture.faults.disk import copy_as_after_power_cut, filling_disk, filling_file_system, is_on_small_disk
from dibs.torture.history.diary import Diary
from dibs.torture.history.records import Answered, Asked, Move, Outcome
from dibs.torture.scenarios.catalogue import SCENARIOS, find_scenarios
from dibs.torture.scenarios.workers import slow_handlers
from dibs.torture.stage.crew import LEASE_SECONDS
from dibs.torture.stage.places import make_place
from dibs.torture.stage.watch import Watch, is_alive
from tests.torture.hands import mount_small_disk


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


def test_a_place_behind_a_socket_in_a_folder_can_be_read_as_a_url():
    place = make_place("postgresql:///shop?host=/run/postgresql", "ab12")
    assert place.address is None
    address = read_address(place.url)
    assert (address.schema, address.shown) == ("dibs_torture_ab12", "/run/postgresql/shop")


def test_a_store_in_memory_cannot_be_tortured():
    with pytest.raises(BadInput, match="only a store that processes share"):
        make_place("memory://", "ab12")


def test_an_unknown_scenario_is_refused_with_those_there_are():
    with pytest.raises(BadInput, match="There are: kill-mid-job"):
        find_scenarios(["kill-everything"])


def test_a_small_file_system_is_filled_to_the_last_byte_and_gets_its_room_back():
    with mount_small_disk() as folder:
        if not is_on_small_disk(folder / "jobs.db"):
            pytest.skip("mounting is not permitted here")
        with filling_file_system(folder / "ballast") as taken:
            assert taken > 1_000_000
            with pytest.raises(OSError, match="No space left"):
                (folder / "jobs.db").write_bytes(b"x")
        (folder / "jobs.db").write_bytes(b"x" * 100_000)
        assert not (folder / "ballast").exists()


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


def test_the_watch_does_not_time_jobs_that_were_made_to_wait(tmp_path: Path):
    load, worker = Diary(tmp_path, "load"), Diary(tmp_path, "worker")
    load.write(Asked(number=1, at=1.0, move=Move.ENQUEUE, jobs=["napper"]))
    load.write(Answered(number=1, at=2.0, outcome=Outcome.OK, answers=["stored"]))
    for number, move in enumerate([Move.SNOOZE, Move.COMPLETE], 1):
        worker.write(Asked(number=number, at=3.0, move=move, jobs=["napper"], tokens=[number]))
        worker.write(Answered(number=number, at=4.0, outcome=Outcome.OK, answers=[True]))
    watch = Watch(tmp_path)
    watch.look()
    assert watch.finished == [4.0]
    assert watch.latencies == []


async def test_the_watch_waits_until_nothing_is_left_waiting(tmp_path: Path):
    diary, watch = Diary(tmp_path, "load"), Watch(tmp_path)
    diary.write(Asked(number=1, at=1.0, move=Move.ENQUEUE, jobs=["one"]))
    diary.write(Answered(number=1, at=2.0, outcome=Outcome.OK, answers=["stored"]))
    assert not await watch.until_caught_up(0, 0.0)
    assert await watch.until_caught_up(1, 0.0)


def test_a_process_that_goes_away_between_two_looks_is_not_alive(monkeypatch):
    nobody = 2**22 + 5
    monkeypatch.setattr(os, "kill", lambda *_: None)
    monkeypatch.setattr(Path, "exists", lambda _: True)
    assert not is_alive(nobody)
    assert is_alive(os.getpid())


def test_slow_handlers_outlast_a_lease_that_a_busy_machine_does_not():
    [crew] = SCENARIOS["slow-handlers"].crews.values()
    lease = float(crew.env["JOB_LOCK_TIMEOUT_SECONDS"])
    assert lease > 2 * LEASE_SECONDS
    assert 2 * lease < slow_handlers.SECONDS
