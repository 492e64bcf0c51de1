"""The command line where nothing but the engine is installed."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from dibs.cli.extras import BROUGHT_BY

HOUSE = Path(__file__).parents[2]
# They run until somebody ends them, or for minutes.
LASTING = ("worker", "scheduler", "torture")
# In a process of its own: modules taken away here would be missing in all tests after it.
SWEEP = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

for name in json.loads(sys.argv[1]):
    sys.modules[name] = None

from typer.main import get_command
from dibs.cli.main import app, run

def leaves(command, path=()):
    for name, one in getattr(command, "commands", {}).items():
        yield from leaves(one, (*path, name))
    if not hasattr(command, "commands"):
        yield path, command

def fill_in(command):
    for one in command.params:
        if one.param_type_name == "argument" and one.required:
            yield "x"
        elif one.required or "--reason" in one.opts:
            yield from (one.opts[0], "1")
        elif "--yes" in one.opts:
            yield "--yes"

told = {}
run(["db", "migrate"])
for path, command in leaves(get_command(app)):
    if path[0] not in json.loads(sys.argv[2]):
        with redirect_stdout(StringIO()) as printed, redirect_stderr(StringIO()) as heard:
            code = run([*path, *fill_in(command)])
        told[" ".join(path)] = (int(code), heard.getvalue(), printed.getvalue())
print(json.dumps(told))
"""


def test_no_command_takes_a_missing_extra_for_a_fault_of_its_own(tmp_path):
    names = json.dumps(sorted(BROUGHT_BY)), json.dumps(LASTING)
    done = subprocess.run(
        [sys.executable, "-c", SWEEP, *names], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert {path: said for path, (code, said, _) in told.items() if code == 70} == {}
    lacking = {path: said for path, (code, said, _) in told.items() if code == 8}
    assert {"up", "server", "users list", "webhooks list", "postings crawl"} <= lacking.keys()
    assert {path: said for path, said in lacking.items() if "pip install 'dibs[" not in said} == {}
    assert {path: said for path, said in told.items() if "left_out" in said[1] + said[2]} == {}
    unseen = {path: said[1].count("not looked at for want of a package: ") for path, said in told.items()}
    assert {path: times for path, times in unseen.items() if times} == {"encryption renew": 1}


def test_every_package_of_an_extra_is_known_by_its_name():
    extras = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted = {
        _name(line): extra for extra, lines in extras.items() if extra not in ("all", "testing") for line in lines
    }
    distributions = packages_distributions()
    known = {_name(one) for module in BROUGHT_BY for one in distributions.get(module, ())}
    assert wanted.keys() <= known
    assert set(BROUGHT_BY.values()) <= extras.keys()


def _name(requirement: str) -> str:
    return re.split(r"[\[<>=;]", requirement)[0].lower().replace("_", "-")
