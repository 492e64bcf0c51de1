"""Storing jobs."""

import pytest


@pytest.fixture
def ready(store, dibs):
    """The command line on a store that is there."""
    return dibs


def show(dibs, job_id: str):
    return dibs("jobs", "show", job_id, "--json").json["job"]


def test_a_job_is_stored_and_its_id_printed(ready):
    done = ready("enqueue", "GREET", '{"name": "Ada"}')
    assert (done.code, done.err) == (0, "")
    job = show(ready, done.out.strip())
    assert (job["job_type"], job["state"], job["input"]) == ("GREET", "pending", {"name": "Ada"})


def test_every_option_reaches_the_job(ready):
    options = (
        "--tenant acme --queue mail --priority 7 --max-retries 1 --id job-1 --unique-key k --run-at 2030-01-01T00:00Z"
    )
    done = ready("enqueue", "MAIL", "[1]", *options.split(), "--json")
    job = done.json
    assert job == show(ready, "job-1")
    assert (job["tenant"], job["queue"], job["priority"], job["max_retries"]) == ("acme", "mail", 7, 1)
    assert (job["id"], job["unique_key"], job["run_at"], job["input"]) == ("job-1", "k", "2030-01-01T00:00:00Z", [1])


def test_a_delay_counts_from_the_stores_clock(ready):
    job = ready("enqueue", "MAIL", "--delay", "1h", "--json").json
    assert job["run_at"] > job["created_at"]
    assert job["input"] == {}


def test_the_input_can_come_from_stdin_or_a_file(ready, room):
    (room / "input.json").write_text('{"from": "file"}')
    assert ready("enqueue", "MAIL", "-", "--json", stdin='{"from": "stdin"}').json["input"] == {"from": "stdin"}
    assert ready("enqueue", "MAIL", "@input.json", "--json").json["input"] == {"from": "file"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["MAIL", "{to: ada}"], "the argument is not JSON"),
        (["MAIL", "NaN"], "the argument is not JSON"),
        (["MAIL", "-"], "stdin is not JSON"),
        (["MAIL", "[" * 50_000 + "]" * 50_000], "the argument has more than 128 objects and lists within each other"),
        (["MAIL", "@nowhere.json"], "cannot read nowhere.json (No such file or directory)"),
        (["MAIL", "--delay", "soon"], "--delay 'soon' is not a duration"),
        (["MAIL", "--run-at", "2030-01-01T09:00"], "does not say which time zone"),
        (["MAIL", "--delay", "1s", "--run-at", "2030-01-01T00:00Z"], "Give one of them"),
        (["MAIL", "--priority", "5000"], "priority 5000 is out of range"),
        (["MAIL", "--timeout", "1s"], "nobody waits. Add --wait"),
        (["", "{}"], "job_type '' is not a name"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_stored(ready, arguments, said):
    done = ready("enqueue", *arguments)
    assert done.code == 2
    assert said in done.err
    assert ready("jobs", "list", "--json").json["jobs"] == []


def test_a_taken_unique_key_is_a_conflict(ready):
    ready("enqueue", "MAIL", "--unique-key", "ada's")
    done = ready("enqueue", "MAIL", "--unique-key", "ada's")
    assert (done.code, done.out) == (4, "")
    assert "nothing was stored. See: dibs jobs list --unique-key 'ada'\"'\"'s'" in done.err


def test_a_taken_id_is_a_conflict(ready):
    ready("enqueue", "MAIL", "--id", "one")
    assert ready("enqueue", "MAIL", "--id", "one").code == 4


def test_a_store_without_schema_is_not_installed_on_the_way(dibs, room):
    done = dibs("enqueue", "MAIL")
    assert done.code == 7
    assert "Run dibs db migrate." in done.err
    assert list(room.iterdir()) == []


def test_with_the_app_the_tasks_own_settings_and_checks_hold(ready, shop):
    job = ready("enqueue", "FAIL", "--app", "shop:app", "--json").json
    assert (job["queue"], job["max_retries"]) == ("risky", 0)
    done = ready("enqueue", "GREET", '{"nmae": "Ada"}', "--app", "shop:app")
    assert done.code == 2
    assert "nmae" in done.err


def test_with_the_app_a_type_it_has_no_task_for_is_refused(ready, shop):
    done = ready("enqueue", "GRET", "--app", "shop:app")
    assert (done.code, done.out) == (2, "")
    assert "shop:app has no task 'GRET'; nothing was stored. It has: GREET, FAIL, SLEEP." in done.err
    assert ready("jobs", "list", "--json").json["jobs"] == []


def test_without_the_app_a_person_is_told_that_the_tasks_settings_do_not_apply(store, terminal):
    assert "its task's own settings (queue, retries, …) do not apply" in terminal("enqueue", "GREET").finish()


def test_waiting_prints_the_output_of_a_job_that_succeeded(ready, shop, program):
    program("worker", "--app", "shop:app")
    done = ready("enqueue", "GREET", '{"name": "Ada"}', "--wait", "--timeout", "60s")
    assert (done.code, done.out) == (0, '{"greeting":"Hello, Ada"}\n')


def test_waiting_fails_with_a_job_that_failed(ready, shop, program):
    program("worker", "--app", "shop:app")
    done = ready("enqueue", "FAIL", '{"why": "no stamp"}', "--app", "shop:app", "--wait", "--timeout", "60s")
    assert (done.code, done.out) == (1, "")
    assert "ended as failed (Permanent: no stamp). See: dibs jobs show" in done.err


def test_waiting_has_an_end(ready):
    done = ready("enqueue", "MAIL", "--wait", "--timeout", "10ms")
    assert done.code == 9
    assert "is stored, but not finished after 10 ms. Look again: dibs jobs show" in done.err
