"""The build runs a test that failed once more, alone; a fault fails it all the same."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[1] / ".ci" / "run"
# `make` stands for the tier: the tests in this folder.
AROUND = """
set -euo pipefail
fail() { printf 'ci: %s\\n' "$*" >&2; exit 1; }
export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1  # They take seconds to load.
make() { shift; local more=${1-}; .venv/bin/python -m pytest -q -p xdist ${more#ARGS=}; }
"""
FAILS_ONCE = """
from pathlib import Path

def test_NAME():
    been_here = Path("NAME.txt")
    assert been_here.exists() or been_here.write_text("") is None and False
"""
FAILS = "def test_NAME():\n    assert False\n"
PASSES = "def test_NAME():\n    pass\n"


def run_tests(folder: Path, **files: str) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text.replace("NAME", name))
    (folder / ".venv" / "bin").mkdir(parents=True)
    python = folder / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    found = re.search(r"^run_tests\(\) \{\n.*?^\}\n", BUILD.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    script = f"{AROUND}{found[0]}run_tests make test\necho passed"
    return subprocess.run(
        ["/bin/bash", "-c", script],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_where_all_pass_nothing_is_repeated(tmp_path):
    done = run_tests(tmp_path, good=PASSES)
    assert done.returncode == 0, done.stdout
    assert "once more" not in done.stdout


def test_who_fails_once_is_told_and_passes(tmp_path):
    done = run_tests(tmp_path, good=PASSES, shy=FAILS_ONCE)
    assert done.returncode == 0, done.stdout
    assert "UNSTEADY, find out why:\ntest_shy.py::test_shy\n" in done.stdout
    assert "1 passed" in done.stdout.partition("once more, alone")[2]


def test_who_fails_twice_fails_the_build(tmp_path):
    done = run_tests(tmp_path, good=PASSES, shy=FAILS_ONCE, bad=FAILS)
    assert done.returncode == 1
    assert "ci: failed twice:" in done.stdout
    assert not done.stdout.endswith("passed\n")


def test_four_failures_are_no_accident(tmp_path):
    done = run_tests(tmp_path, **dict.fromkeys(["ann", "ben", "cat", "dan"], FAILS_ONCE))
    assert done.returncode == 1
    assert "ci: 4 tests failed" in done.stdout


@pytest.mark.parametrize("text", ["this is no Python", "import pytest\npytest.exit('enough', 1)\n"])
def test_tests_that_cannot_be_read_fail_the_build(tmp_path, text):
    done = run_tests(tmp_path, good=PASSES, odd=text)
    assert done.returncode == 1, done.stdout
