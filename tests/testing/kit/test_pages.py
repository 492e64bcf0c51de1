"""What the page and the example show is what happens."""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from dibs.testing import Kit, Moment, SyncKit

HOUSE = Path(__file__).parents[3]
PAGE = HOUSE / "docs/how-to/test-your-tasks.md"
EXAMPLE = HOUSE / "examples/testing"
INI = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
VERBS = sorted({name for kit in (Kit, SyncKit) for name in dir(kit) if not name.startswith("_")} - {"ledger"})


def run_pytest(folder, *options):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def read_files(page):
    """Put the page's blocks together: each begins with the name of its file."""
    files: defaultdict[str, str] = defaultdict(str)
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        name = re.match(r"# (\w+\.py)\n", block)
        assert name is not None, f"a block that says no file is a block that nothing runs:\n{block}"
        files[name[1]] += block + "\n\n"
    return files


@pytest.mark.system
def test_the_page_can_be_followed_word_by_word(tmp_path):
    files = read_files(PAGE.read_text())
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text(INI)
    done = run_pytest(tmp_path, "-W", "error")
    tests = sum(len(re.findall(r"^(?:async )?def test_", text, re.MULTILINE)) for text in files.values())
    assert tests > 0
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= tests


def test_the_failure_that_the_page_shows_is_the_one_that_comes(tmp_path):
    shown = re.search(r"```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert shown is not None
    files = read_files(PAGE.read_text())
    (tmp_path / "jobs.py").write_text(files["jobs.py"])
    (tmp_path / "pytest.ini").write_text(INI)
    (tmp_path / "test_failing.py").write_text(
        "from jobs import send\n\n\n"
        "async def test_it(dibs_kit):\n"
        "    from jobs import app\n"
        "    kit = dibs_kit(app)\n"
        "    await send.options(tenant='acme').enqueue(to='bob@example.org', subject='hello')\n"
        "    kit.assert_enqueued('EMAIL_SEND', input__to='ada@example.org', tenant='acme')\n"
    )
    done = run_pytest(tmp_path)
    assert done.returncode == 1
    unmarked = "\n".join(re.sub(r"^E ? ? ? ? ? ? ?(AssertionError: )?", "", line) for line in done.stdout.splitlines())
    assert shown[1].strip() in unmarked, done.stdout


@pytest.mark.parametrize("word", [*VERBS, *Moment, "dibs_kit", "dibs_sync_kit", "WorkerDied", "SqliteStore"])
def test_the_page_names_everything_the_kit_has(word):
    assert f"`{word}" in PAGE.read_text() or f"kit.{word}(" in PAGE.read_text()


def test_the_example_runs():
    done = run_pytest(EXAMPLE, "-W", "error")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_file_of_the_example_is_short():
    assert max(len(path.read_text().splitlines()) for path in EXAMPLE.glob("*.py")) < 60
