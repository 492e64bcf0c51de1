"""The fixtures, as a project has them that merely installed Dibs."""

import subprocess
import sys
from importlib.metadata import entry_points
from textwrap import dedent

import pytest

from dibs import testing
from dibs.testing import plugin

PROGRAM = """
    import dibs

    app = dibs.Dibs("sqlite:////nowhere/at/all/jobs.db")

    @app.task("GREET")
    async def greet(name: str):
        return f"hello, {name}"
"""
ASYNC_TEST = """
    import asyncio

    import pytest
    from program import app, greet

    opener = app.open_backend

    {mark}
    async def test_a_greeting(dibs_kit):
        kit = dibs_kit(app)
        assert (await kit.run(greet, name="Ada")).output == "hello, Ada"
        assert await asyncio.to_thread(app.sync.enqueue, "GREET", {{"name": "Bob"}})
        kit.assert_enqueued("GREET", times=2)

    def test_the_app_is_back():
        assert app.open_backend == opener
"""
SYNC_TEST = """
    from datetime import UTC, datetime

    import pytest
    from program import app

    NEW_YEAR = datetime(2030, 1, 1, tzinfo=UTC)

    @pytest.fixture
    def kit(dibs_sync_kit):
        return dibs_sync_kit(app, at=NEW_YEAR)

    def test_a_greeting(kit):
        app.sync.enqueue("GREET", {"name": "Ada"})
        assert [job.output for job in kit.drain()] == ["hello, Ada"]
        assert kit.now == NEW_YEAR

    def test_the_next_test_finds_nothing_of_it(kit):
        assert kit.enqueued() == []
        assert kit.drain() == []
"""
UNAWARE_TEST = """
    import sys

    def test_dibs_is_not_asked_for():
        assert not [name for name in sys.modules if name.startswith(("dibs.testing.kit", "dibs.backends"))]
"""


def run_pytest(folder, *options):
    command = [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(dedent(text))

    write("pytest.ini", "[pytest]\nasyncio_default_fixture_loop_scope = function\nfilterwarnings = error\n")
    write("program.py", PROGRAM)
    return tmp_path, write


@pytest.mark.parametrize(("mode", "mark"), [("strict", "@pytest.mark.asyncio"), ("auto", "")])
def test_async_tests_have_the_kit_in_either_mode(project, mode, mark):
    folder, write = project
    write("test_program.py", ASYNC_TEST.format(mark=mark))
    write("test_sync.py", SYNC_TEST)
    done = run_pytest(folder, "-o", f"asyncio_mode={mode}")
    assert "4 passed" in done.stdout, done.stdout + done.stderr


def test_tests_without_async_need_no_plugin_for_it(project):
    folder, write = project
    write("pytest.ini", "[pytest]\nfilterwarnings = error\n")
    write("test_sync.py", SYNC_TEST)
    done = run_pytest(folder, "-p", "no:asyncio")
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_whoever_does_not_ask_for_the_kit_does_not_load_it(project):
    folder, write = project
    write("test_unaware.py", UNAWARE_TEST)
    done = run_pytest(folder)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_the_plugin_is_two_fixtures_and_no_hook():
    assert [one.value for one in entry_points(group="pytest11", name="dibs")] == [plugin.__name__]
    assert not [name for name in vars(plugin) if name.startswith("pytest_")]
    assert {name for name in vars(plugin) if name.startswith("dibs_")} == {"dibs_kit", "dibs_sync_kit"}


def test_no_name_of_the_kit_looks_like_a_test():
    assert not [name for name in testing.__all__ if name.startswith("Test")]
    assert all(getattr(testing, name).__name__ == name for name in testing.__all__)
    with pytest.raises(AttributeError):
        _ = testing.Nothing
