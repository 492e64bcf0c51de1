"""The benchmark of the server comes to an end, and tells both ratios."""

import re
import subprocess
import sys

import pytest

LONGEST = 120


@pytest.mark.system
def test_endpoints_are_measured_beside_bare_ones():
    asked = [sys.executable, "-m", "benchmarks.server", "--seconds", "0.05", "--rounds", "1", "--connections", "2"]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(re.findall(r"ratio \d\.\d\d by rate", done.stdout)) == 2
