"""A few cells on real stores with real workers, so that the harness itself is known to work."""

import json
import os
import subprocess
import sys

import pytest

from dibs.torture.checker.notes import Invariant
from dibs.torture.playing import Tempo, play
from dibs.torture.report.cells import CellVerdict
from dibs.torture.scenarios.catalogue import SCENARIOS
from dibs.torture.stage.places import make_place
from tests.testing.seeded.mutants import MUTANTS
from tests.torture.hands import open_grounds

CELLS = [
    ("sqlite", "kill-on-the-brink"),
    ("sqlite", "power-cut"),
    ("postgres", "cut-after-commit"),
    ("postgres", "postgres-killed"),
    ("redis", "freeze"),
    ("redis", "redis-killed"),
    ("forgetful", "redis-killed"),
]
# A bug that shows only if somebody is slow enough is looked for so often.
MOST_PLAYS = 4


@pytest.mark.system
@pytest.mark.parametrize(("store", "scenario"), CELLS)
async def test_every_promise_holds(store, scenario):
    with open_grounds(store) as [ground]:
        cell = await play(SCENARIOS[scenario], ground, 1, Tempo(pace=15, calm=4, after=2))
    assert cell.verdict is CellVerdict.HOLDS, (cell.reason, cell.tally)
    assert cell.operations > 100


@pytest.mark.system
async def test_nothing_is_left_behind(tmp_path):
    with open_grounds("postgres") as [ground]:
        await play(SCENARIOS["migrate-at-once"], ground, 1, Tempo())
        import asyncpg  # noqa: PLC0415 - only here

        connection = await asyncpg.connect(ground.url)
        schemas = await connection.fetch("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'dibs%'")
        roles = await connection.fetch("SELECT rolname FROM pg_roles WHERE rolname LIKE 'dibs%'")
        await connection.close()
    assert (schemas, roles) == ([], [])
    assert make_place(ground.url, "a").book == "dibs_torture_a.torture_effects"


@pytest.mark.system
@pytest.mark.parametrize("kind", ["sqlite", "redis"])
async def test_tables_that_others_live_from_are_not_migrated(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DIBS_TABLES_URL", f"sqlite:///{tmp_path}/theirs.db")
    with open_grounds(kind) as [ground]:
        cell = await play(SCENARIOS["migrate-at-once"], ground, 1, Tempo())
    assert cell.verdict is CellVerdict.HOLDS, (cell.reason, cell.tally)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.system
@pytest.mark.parametrize(
    ("bug", "scenario", "invariant"),
    [
        ("the reaper ignores the lease", "slow-handlers", Invariant.STORE_CLOCK),
        ("complete asks for no token", "freeze", Invariant.FENCED),
    ],
)
def test_a_bug_in_a_real_store_breaks_its_cell(bug, scenario, invariant, tmp_path):
    """The whole way: a copy of the package with the bug, its own workers, its own checker.

    A worker that thaws may hear that its lease is gone before it writes: then nothing goes wrong, and we play again.
    """
    next(one for one in MUTANTS if one.store == "sqlite" and one.bug == bug).plant(tmp_path)
    plays = (play_alone(tmp_path, scenario, seed) for seed in range(1, MOST_PLAYS + 1))
    cell = next((cell for cell in plays if cell["verdict"] == CellVerdict.BROKEN), None)
    assert cell is not None, f"held {MOST_PLAYS} times"
    assert cell["tally"]["failed"].get(invariant), cell["tally"]["broken"]


def play_alone(folder, scenario, seed):
    """Play one cell with the package in a folder, and give what its report says."""
    report = folder / f"proof-{seed}.json"
    command = [sys.executable, "-m", "dibs.cli", "torture", "--url", f"sqlite:///{folder}/jobs.db"]
    command += ["--scenario", scenario, "--pace", "15", "--seed", str(seed), "--report", str(report)]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    [cell] = json.loads(report.read_text())["cells"]
    return cell
