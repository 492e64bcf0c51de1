"""`dibs stats`, `dibs workers` and `dibs db`."""

import json
import signal
from datetime import timedelta

import pytest

from dibs.engine.job import Job
from dibs.engine.store.protocols import WorkerCard

CARD = WorkerCard(worker_id="w-1", host="h", pid=1, state="working", job_types=("A", "B"), slots=10, held=2)


async def fill(backend):
    await backend.store_jobs([Job(id=f"j{n}", job_type="A", queue="mail" if n % 3 else "crawl") for n in range(6)])
    [first, second, *_] = await backend.claim_pending_jobs(3, queues=["mail"])
    await backend.complete_jobs([backend.completion(first.lease)])
    await backend.snooze_job(second.lease, timedelta(hours=1))


def test_stats_count_by_state_and_queue(dibs, store):
    store(fill)
    tally = dibs("stats", "--json").json
    assert tally["states"] == {
        "pending": 4,
        "running": 1,
        "retryable": 0,
        "succeeded": 1,
        "failed": 0,
        "cancelled": 0,
    }
    assert tally["queues"] == {
        "crawl": {"pending": 2, "running": 0, "retryable": 0},
        "mail": {"pending": 2, "running": 1, "retryable": 0},
    }
    assert tally["at"].endswith("Z")


def test_stats_are_printed_once_where_there_is_no_terminal(dibs, store):
    store(fill)
    done = dibs("stats")
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines()]
    assert ["crawl", "2", "0", "0"] in rows
    assert ["all", "4", "1", "0", "1", "0", "0"] in rows


def test_with_an_interval_stats_go_on_until_interrupted(program, store):
    process = program("stats", "--json", "--interval", "100ms")
    lines = [json.loads(process.stdout.readline()) for _ in range(3)]
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert len({line["at"] for line in lines}) == 3


def test_a_live_table_follows_the_store_until_interrupted(terminal, store):
    live = terminal("stats", "--interval", "100ms")
    live.read_until("finished/s")
    store(fill)
    live.read_until("crawl")
    live.process.send_signal(signal.SIGINT)
    assert "Ctrl-C to leave" in live.finish()
    assert live.process.returncode == 0


def test_a_live_table_ends_with_its_terminal(terminal, store):
    live = terminal("stats", "--interval", "100ms")
    live.read_until("finished/s")
    live.hang_up()
    assert live.process.wait(60) == 141


@pytest.mark.parametrize(("text", "said"), [("1ms", "too short"), ("often", "not a duration")])
def test_an_odd_interval_is_refused(dibs, store, text, said):
    done = dibs("stats", "--interval", text)
    assert done.code == 2
    assert said in done.err


def test_workers_that_are_alive_are_listed(dibs, store):
    async def announce(backend):
        await backend.workers.announce(CARD, timedelta(minutes=1))

    store(announce)
    [card] = dibs("workers", "--json").json["workers"]
    assert (card["worker_id"], card["job_types"], card["held"], card["slots"]) == ("w-1", ["A", "B"], 2, 10)
    row = dibs("workers").out.splitlines()[2]
    assert "w-1" in row
    assert "2/10" in row
    assert "A, B" in row
    assert "1 worker, 10 slots" in dibs("stats").out


def test_no_worker_is_an_empty_list(dibs, store):
    assert dibs("workers", "--json").json == {"workers": []}
    assert dibs("workers").code == 0


@pytest.mark.parametrize("folder", ["dibs-data", "dibs-demo"])
@pytest.mark.parametrize("command", [["stats"], ["keys", "list"]])
def test_who_started_dibs_up_here_is_told_where_its_store_is(dibs, room, command, folder, monkeypatch):
    monkeypatch.delenv("DIBS_URL", raising=False)
    assert "DIBS_DATA" not in dibs(*command).err
    (room / folder).mkdir()
    (room / folder / "dibs.db").touch()
    told = dibs(*command)
    assert told.code == 7
    assert f"DIBS_DATA={folder}" in told.err
    assert "DIBS_DATA" not in dibs(*command, "--url", "sqlite:///other.db").err


def test_who_named_no_store_is_told_how_to_name_one(dibs, room, monkeypatch):
    monkeypatch.delenv("DIBS_URL", raising=False)
    told = dibs("stats")
    assert told.code == 7
    assert "Or are your jobs elsewhere? Say where, with --url or DIBS_URL." in told.err
    assert "elsewhere" not in dibs("stats", "--url", "sqlite:///other.db").err


def test_the_schema_is_installed_and_checked(dibs, room):
    missing = dibs("db", "check")
    assert missing.code == 7
    assert "schema is missing" in missing.err
    assert list(room.iterdir()) == []
    installed = dibs("db", "migrate")
    assert installed.code == 0
    assert installed.out.startswith("applied 1, 2")
    assert dibs("db", "migrate").out.startswith("nothing to do: the schema is at version")
    assert dibs("db", "check").code == 0


def test_the_schema_as_json(dibs, room):
    before = dibs("db", "check", "--json")
    assert (before.code, before.json["found"], before.json["is_usable"]) == (7, 0, False)
    after = dibs("db", "migrate", "--json").json
    assert after["found"] == after["wanted"] == max(after["applied"])
    assert after["is_usable"]


def test_many_processes_may_migrate_at_once(program, room):
    processes = [program("db", "migrate", "--json") for _ in range(3)]
    answers = [json.loads(process.communicate(timeout=60)[0]) for process in processes]
    assert sum(len(answer["applied"]) > 0 for answer in answers) == 1
    assert all(answer["is_usable"] for answer in answers)


def test_a_job_shown_to_a_program_is_not_padded(dibs, store):
    store(fill)
    shown = dibs("jobs", "show", "j0").out
    assert shown
    assert max(len(line) for line in shown.splitlines()) < 200


def test_when_no_worker_is_alive_it_is_said(dibs, store):
    store(fill)
    assert "No worker is alive" in dibs("workers").err


@pytest.mark.parametrize("words", [("jobs", "list"), ("stats",), ("workers",), ("db", "check"), ("doctor",)])
def test_a_missing_folder_is_named(dibs, room, words):
    done = dibs(*words, "--url", f"sqlite:///{room}/nowhere/jobs.db")
    assert done.code == 5
    assert f"the folder {room}/nowhere does not exist" in done.err


@pytest.mark.parametrize("words", [("jobs", "list"), ("stats",), ("db", "check"), ("doctor",)])
def test_a_missing_schema_is_answered_with_a_command(dibs, words):
    done = dibs(*words)
    assert "dibs db migrate" in done.err + done.out
    assert "migrate=True" not in done.err + done.out
