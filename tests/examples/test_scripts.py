"""Examples that are one script do what they say."""

import re

from tests.examples.programs import EXAMPLES, run

LONGEST = 60
# The pytest runs of examples/testing are in tests/testing.
TESTED_HERE = {"hello_job", "first_jobs", "sqlalchemy_transaction", "cpu_bound", "fastapi_app", "django_app", "testing"}
TESTED_HERE |= {"apply_agent"}


def test_every_example_has_a_test():
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))}
    assert folders == TESTED_HERE


def test_every_file_of_the_examples_is_short():
    lengths = {path.relative_to(EXAMPLES): len(path.read_text().splitlines()) for path in EXAMPLES.glob("*/*.py")}
    assert {file: lines for file, lines in lengths.items() if lines >= LONGEST} == {}


def test_every_script_that_an_example_tells_to_run_is_there():
    told = {
        path.parent / name
        for path in EXAMPLES.glob("*/*.py")
        for name in re.findall(r"\bpython (\w+\.py)", path.read_text())
    }
    assert told
    assert [str(path) for path in told if not path.is_file()] == []


def test_hello_job_greets_three_people(tmp_path):
    printed = run("hello_job", folder=tmp_path)
    assert printed.splitlines() == ["succeeded Hello, Ada", "succeeded Hello, Grace", "succeeded Hello, Linus"]
    assert (tmp_path / "dibs.db").exists()


def test_first_jobs_ends_every_job_once(tmp_path):
    printed = run("first_jobs", str(tmp_path / "demo.db"), folder=tmp_path)
    assert printed.splitlines()[-1] == "Done: 10 of 10 jobs succeeded in 11 executions, none twice."


def test_a_job_commits_and_rolls_back_with_its_order(tmp_path):
    printed = run("sqlalchemy_transaction", str(tmp_path / "shop.db"), folder=tmp_path)
    assert printed.splitlines() == [
        "rolled back: Bob has not paid",
        "1 order, 1 job: Thanks for order 1, Ada",
    ]


def test_cpu_bound_work_is_done_in_other_processes(tmp_path):
    printed = run("cpu_bound", folder=tmp_path)
    assert printed.splitlines() == [
        "4 primes below 10",
        "168 primes below 1000",
        "1229 primes below 10000",
        "2262 primes below 20000",
        "counted in other processes: True",
    ]
