"""What the front page shows is what happens."""

import re
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).parents[2]


def test_the_example_in_the_readme_runs_and_prints_what_it_says(tmp_path):
    readme = (HOUSE / "README.md").read_text()
    example = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert example is not None
    done = subprocess.run([sys.executable, "-c", example[1]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "{'greeting': 'Hello, Ada', 'attempt': 1}"


def test_a_worker_that_imports_the_example_does_not_run_it(tmp_path):
    example = re.search(r"```python\n(.*?)```", (HOUSE / "README.md").read_text(), re.DOTALL)
    assert example is not None
    (tmp_path / "greet.py").write_text(example[1])
    done = subprocess.run(
        [sys.executable, "-c", "import greet"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_every_target_the_readme_names_is_in_the_makefile():
    readme = (HOUSE / "README.md").read_text()
    makefile = (HOUSE / "Makefile").read_text()
    named = set(re.findall(r"`?make ([a-z-]+)", readme))
    offered = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))
    assert named
    assert named <= offered
