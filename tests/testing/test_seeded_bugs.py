"""A test of the tests: every planted bug must make the suite fail."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.seeded.bugs import ALL_BUGS, NO_BUG

ROOT = Path(__file__).parents[2]
SUITE = "tests/testing/seeded/suite_under_bug.py"


def run_suite(bug: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", SUITE, "-q", "--maxfail=1", "-p", "no:xdist", "-p", "no:cacheprovider"]
    env = {**os.environ, "DIBS_SEEDED_BUG": bug, "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)


def test_without_a_bug_the_suite_passes() -> None:
    result = run_suite(NO_BUG)
    assert result.returncode == 0, result.stdout[-3000:]


@pytest.mark.parametrize("bug", ALL_BUGS)
def test_the_suite_catches(bug: str) -> None:
    result = run_suite(bug)
    assert result.returncode == 1, f"not caught: {bug}\n{result.stdout[-2000:]}"
    assert re.search(r"FAILED .*::test_", result.stdout)
