"""`dibs worker`, as the program that users start, on SQLite."""

import json
import os
import signal
import time
import urllib.request

import pytest

from dibs.testing.servers.ports import find_free_port

PATIENCE = 60.0


def wait_for(find, what: str):
    """Look again until something is there."""
    deadline = time.monotonic() + PATIENCE
    while not (found := find()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)
    return found


def read_events(process, name: str, count: int = 1) -> list[dict]:
    """Read log lines until an event has come so many times; gives all lines read."""
    found: list[dict] = []
    for line in process.stderr:
        found.append(json.loads(line))
        if sum(event["event"] == name for event in found) == count:
            return found
    raise AssertionError(f"the program left before {name}: {found}")


def started_pids(events: list[dict]) -> list[int]:
    return [event["pid"] for event in events if event["event"] == "cli.child.started"]


@pytest.fixture
def working(store, shop, dibs):
    """The command line, with the app there and its store ready."""
    return dibs


def states(dibs) -> dict[str, int]:
    return {state: count for state, count in dibs("stats", "--json").json["states"].items() if count}


def test_a_worker_drains_the_store_and_leaves(working, run_program):
    for name in ("Ada", "Grace", "Lin"):
        working("enqueue", "GREET", json.dumps({"name": name}))
    working("enqueue", "FAIL", "--app", "shop:app")
    done = run_program("worker", "--app", "shop:app", "--until-drained")
    assert done.code == 0, done
    assert states(working) == {"succeeded": 3, "failed": 1}


def test_a_worker_takes_only_what_it_was_told_to(working, run_program):
    working("enqueue", "GREET", '{"name": "Ada"}')
    working("enqueue", "GREET", '{"name": "Ada"}', "--queue", "other")
    working("enqueue", "GREET", '{"name": "Ada"}', "--tenant", "acme")
    working("enqueue", "SLEEP", '{"seconds": 0}')
    options = ["--queue", "default", "--type", "GREET", "--tenant", "default"]
    assert run_program("worker", "--app", "shop:app", "--until-drained", *options).code == 0
    assert states(working) == {"pending": 3, "succeeded": 1}


def test_another_store_can_be_named(working, run_program, room):
    other = f"sqlite:///{room}/other.db"
    working("db", "migrate", "--url", other)
    working("enqueue", "GREET", '{"name": "Ada"}', "--url", other)
    assert run_program("worker", "--app", "shop:app", "--until-drained", "--url", other).code == 0
    assert working("stats", "--json", "--url", other).json["states"]["succeeded"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--app", "nothing:app"], "there is no module 'nothing'"),
        (["--app", "shop:other"], "Use --app shop:app"),
        (["--app", "shop:greet"], "is of type Task"),
        (["--app", "shop:app", "--type", "GRET"], "no such task. It has: GREET, FAIL, SLEEP"),
        (["--app", "shop:app", "--grace", "long"], "--grace 'long' is not a duration"),
        (["--app", "shop:app", "--processes", "0"], "--processes"),
        (["--app", "shop:app", "--processes", "1001"], "--processes"),
    ],
)
def test_a_wrong_start_says_what_to_do(working, arguments, said):
    done = working("worker", *arguments)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_worker_whose_store_is_down_says_so(working, run_program):
    done = run_program("worker", "--app", "shop:app", "--url", "redis://127.0.0.1:1/0")
    assert done.code == 5
    assert "dibs: cannot reach Redis at 127.0.0.1:1" in done.err


def test_without_an_app_a_worker_runs_what_is_installed(working, run_program):
    working("enqueue", "PING", '{"text": "hi"}')
    assert run_program("worker", "--until-drained", "--url", os.environ["DIBS_URL"]).code == 0
    assert states(working) == {"succeeded": 1}


def test_a_scheduler_fires_and_runs_no_job(working, program):
    made = working("schedules", "create", "often", "PING", "--every", "1s", "--reason", "a test")
    assert made.code == 0, made
    scheduler = program("scheduler", "--url", os.environ["DIBS_URL"], "--schedule-poll", "100ms")
    assert wait_for(lambda: states(working).get("pending", 0) >= 2, "two fires")
    assert set(states(working)) == {"pending"}
    scheduler.send_signal(signal.SIGTERM)
    assert scheduler.wait(PATIENCE) == 0, scheduler.stderr.read()


def test_the_app_can_be_named_by_the_environment(working, run_program):
    working("enqueue", "GREET", '{"name": "Ada"}')
    assert run_program("worker", "--until-drained", env={**os.environ, "DIBS_APP": "shop"}).code == 0
    assert states(working) == {"succeeded": 1}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_first_signal_lets_handlers_finish(working, program, number):
    working("enqueue", "SLEEP", '{"seconds": 1}')
    process = program("worker", "--app", "shop:app", "--log-level", "debug")
    read_events(process, "engine.job.claimed")
    process.send_signal(number)
    assert process.wait(PATIENCE) == 0
    assert states(working) == {"succeeded": 1}


def test_after_the_grace_time_jobs_are_handed_back(working, program):
    working("enqueue", "SLEEP", '{"seconds": 600}')
    process = program("worker", "--app", "shop:app", "--log-level", "debug", "--grace", "50ms")
    read_events(process, "engine.job.claimed")
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    assert states(working) == {"pending": 1}


def test_the_second_signal_ends_it_at_once(working, program):
    working("enqueue", "SLEEP", '{"seconds": 600}')
    process = program("worker", "--app", "shop:app", "--log-level", "debug")
    read_events(process, "engine.job.claimed")
    process.send_signal(signal.SIGTERM)
    read_events(process, "engine.worker.stopping")
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 143
    assert states(working) == {"running": 1}


def test_health_is_kept_in_a_file_and_told_on_a_port(working, program, room):
    port = find_free_port()
    program("worker", "--app", "shop:app", "--health-file", "health.json", "--health-port", str(port))
    health = room / "health.json"
    wait_for(health.exists, "the health file")
    assert json.loads(health.read_text())["status"] == "green"
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
        assert json.load(answer)["status"] == "green"


def test_a_worker_shows_its_card_while_it_is_alive(working, program):
    process = program("worker", "--app", "shop:app", "--worker-id", "w-7")
    cards = wait_for(lambda: working("workers", "--json").json["workers"], "the card")
    assert [(card["worker_id"], card["job_types"]) for card in cards] == [("w-7", ["GREET", "SLEEP", "FAIL"])]
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    assert working("workers", "--json").json["workers"] == []


def test_several_processes_share_the_work_and_leave_together(working, program):
    for number in range(6):
        working("enqueue", "SLEEP", '{"seconds": 0.3}', "--id", f"job-{number}")
    options = ["--processes", "2", "--concurrency", "1", "--worker-id", "w"]
    process = program("worker", "--app", "shop:app", "--until-drained", *options)
    assert process.wait(PATIENCE) == 0
    holders = {job["locked_by"] for job in working("jobs", "list", "--json").json["jobs"]}
    assert holders == {"w-1", "w-2"}
    assert states(working) == {"succeeded": 6}


def test_a_killed_child_is_replaced_and_the_rest_goes_on(working, program):
    process = program("worker", "--app", "shop:app", "--processes", "2", "--worker-id", "w")
    first, second = started_pids(read_events(process, "engine.worker.started", 2))
    os.kill(first, signal.SIGKILL)
    events = read_events(process, "engine.worker.started")
    assert [event["code"] for event in events if event["event"] == "cli.child.died"] == [-signal.SIGKILL]
    assert events[-1]["worker"] in {"w-1.2", "w-2.2"}
    assert not {first, second} & set(started_pids(events))
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0


def test_each_child_says_once_that_it_is_stopping(working, program):
    process = program("worker", "--app", "shop:app", "--processes", "2", "--worker-id", "w")
    children = started_pids(read_events(process, "engine.worker.started", 2))
    for pid in (*children, process.pid):
        os.kill(pid, signal.SIGTERM)
    said = [json.loads(line) for line in process.stderr]
    assert process.wait(PATIENCE) == 0
    stopping = [event["worker"] for event in said if event["event"] == "engine.worker.stopping"]
    assert sorted(stopping) == ["w-1", "w-2"]


def test_a_signal_to_the_whole_group_is_gentle(working, program):
    working("enqueue", "SLEEP", '{"seconds": 1}')
    process = program("worker", "--app", "shop:app", "--processes", "2", "--log-level", "debug")
    children = started_pids(read_events(process, "engine.job.claimed"))
    for pid in (*children, process.pid, *children):
        os.kill(pid, signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    assert states(working) == {"succeeded": 1}


def test_children_stop_gently_when_their_supervisor_is_killed(working, program):
    process = program("worker", "--app", "shop:app", "--processes", "2")
    read_events(process, "engine.worker.started", 2)
    process.kill()
    # They hold the other end of this pipe until they have left.
    assert process.stderr.read().count("engine.worker.stopped") == 2


def test_a_wrong_app_is_not_tried_again_and_again(working, program):
    process = program("worker", "--app", "nothing:app", "--processes", "2")
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "there is no module 'nothing'" in said
