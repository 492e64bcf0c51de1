"""How the command line greets, explains itself and fails."""

import json
import os
import re
import resource
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dibs.cli.printing import output
from dibs.cli.stores import MIGRATE, naming_store
from dibs.engine.job import Job
from dibs.errors import SchemaMismatch, StoreUnavailable

HOUSE = Path(__file__).parents[2]
# Of processor time, so that a busy machine does not matter; a rested one answers in less.
MOST_SECONDS = 1.0
HEAVY = {"structlog", "rich", "asyncpg", "redis", "sqlite3", "pydantic", "sqlalchemy", "rich.live", "rich.progress"}


def test_the_version_is_that_of_the_package(run_program):
    version = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]["version"]
    done = run_program("--version")
    assert (done.code, done.out) == (0, f"dibs {version}\n")


def test_without_arguments_it_says_what_to_do_next(dibs):
    done = dibs()
    assert done.code == 2
    assert "dibs worker --app module:app" in done.out
    assert "dibs up " in done.out
    assert "dibs enqueue TYPE JSON" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["jbos"], "No such command 'jbos'"),
        (["workesr"], "No such command 'workesr'. Did you mean 'worker', 'workers'? There are: "),
        (["jobs"], "Missing command. There are: list, show, retry, cancel, why, purge. See: dibs jobs --help"),
        (["jobs", "list", "--satte", "failed"], "See: dibs jobs list --help"),
        (["jobs", "list", "--state", "done"], "'done' is not one of 'pending', 'running'"),
        (["jobs", "show"], "Missing argument 'ID'. See: dibs jobs show --help"),
        (["jobs", "list", "--queue"], "requires an argument. See: dibs jobs list --help"),
        (["jobs", "retry", "x"], "Missing option '--reason'. See: dibs jobs retry --help"),
        (["enqueue"], "Missing argument 'TYPE'. See: dibs enqueue --help"),
    ],
)
def test_wrong_arguments_get_one_line_that_says_where_to_look(dibs, arguments, said):
    done = dibs(*arguments)
    assert done.code == 2
    assert done.err.startswith("dibs: ")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_help_is_also_a_word(dibs):
    assert dibs("help", "jobs", "list").out == dibs("jobs", "list", "--help").out
    assert dibs("help").out == dibs("--help").out
    assert (dibs("help").code, dibs("help", "nonsense").code) == (0, 2)


def test_whoever_mistyped_an_option_is_not_told_all_commands(dibs):
    assert dibs("-v").err == "dibs: No such option: -v. See: dibs --help\n"
    assert "There are: list" in dibs("jobs", "lits").err


def test_an_error_is_one_line_on_stderr_and_its_code(dibs):
    done = dibs("jobs", "list", "--url", "sqlite:///none.db")
    assert (done.code, done.out) == (7, "")
    assert re.fullmatch(r"dibs: sqlite:///none.db: .* Run dibs db migrate --url sqlite:///none.db.\n", done.err)


def test_a_password_is_not_repeated_in_what_to_run():
    url = "postgresql://ann:s3cret@db/jobs"
    with pytest.raises(SchemaMismatch, match="migrate --url URL") as raised, naming_store(url):
        raise SchemaMismatch(f"{MIGRATE}.")
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "code", "said"),
    [
        ("./shop/jobs.db", 2, "For a file of this name write sqlite:///./shop/jobs.db"),
        ("mysql://localhost/jobs", 2, "no backend for 'mysql'"),
        ("postgresql://postgres@127.0.0.1:1/none", 5, "cannot reach PostgreSQL"),
        ("redis://127.0.0.1:1/0", 5, "cannot reach Redis"),
        ("memory://", 2, "Name a shared one with --url or DIBS_URL"),
    ],
)
def test_a_store_that_cannot_be_used_says_why(dibs, url, code, said):
    done = dibs("stats", "--url", url)
    assert done.code == code
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--debug", "jobs", "list"], ["jobs", "list", "--debug"]])
def test_debug_shows_the_traceback_wherever_it_stands(run_program, arguments):
    done = run_program(*arguments)
    assert done.code == 7
    assert "Traceback (most recent call last)" in done.err
    assert done.err.splitlines()[-1].startswith("dibs: ")


def test_a_fault_of_ours_is_told_as_such(dibs, monkeypatch):
    def break_down(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("dibs.cli.commands.workers.on_store", break_down)
    done = dibs("workers")
    assert done.code == 70
    assert "ZeroDivisionError: oh. This is a fault of Dibs; run it again with --debug" in done.err


def test_of_a_group_of_errors_the_first_is_told(dibs, monkeypatch):
    def break_down(*_: object) -> None:
        raise ExceptionGroup("several", [ExceptionGroup("inner", [StoreUnavailable("it is away. Start it.")])])

    monkeypatch.setattr("dibs.cli.commands.workers.on_store", break_down)
    done = dibs("workers")
    assert (done.code, done.err) == (5, "dibs: it is away. Start it.\n")


def test_help_is_quick_and_opens_nothing():
    code = "import sys; sys.argv = ['dibs', '--help']; from dibs.cli.main import run; run(['--help'])"
    code += "; import json; print(json.dumps(sorted(sys.modules)))"
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    modules = set(json.loads(done.stdout.splitlines()[-1]))
    assert modules & HEAVY == set()
    assert [name for name in modules if name.startswith("dibs.backends.")] == []
    assert min(spent) < MOST_SECONDS


def test_a_reader_that_leaves_early_is_no_error(run_program, store, room):
    reading, writing = os.pipe()
    os.close(reading)
    done = run_program("jobs", "--help", stdout=writing)
    os.close(writing)
    assert done.code == 141
    assert done.err == ""


@pytest.mark.parametrize(("env", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_come_on_a_terminal_unless_refused(terminal, store, env, is_coloured):
    store(hold_a_job)
    shown = terminal("jobs", "list", env=env).finish()
    assert "running" in shown
    assert ("\x1b[36m" in shown) == is_coloured


async def hold_a_job(backend):
    await backend.store_job(Job(job_type="TEST"))
    await backend.claim_pending_job()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_shown_for_each_shell(run_program, shell):
    env = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = run_program("--show-completion", shell, env=env)
    assert done.code == 0, done
    assert "_DIBS_COMPLETE" in done.out


def test_completion_knows_commands_options_and_states(run_program):
    def complete(words: str):
        count = len(words.split(" ")) - 1
        env = {**os.environ, "_DIBS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(count)}
        return run_program(env=env).out

    assert complete("dibs wor").split() == ["worker", "workers"]
    assert "--until-drained" in complete("dibs worker --un")
    assert complete("dibs jobs list --state f").split() == ["failed"]


def test_control_characters_are_made_visible():
    assert output.clean("a\x1b[31mb\x07\u202e\tc\n") == "a\\x1b[31mb\\x07\\x202e\tc\n"
