"""The same for the real backends: bugs in SQL, Lua and Python, each in a copy of the package of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from tests.testing.seeded.mutants import MUTANTS, PACKAGE, Mutant

ROOT = Path(__file__).parents[2]


def judge(package: Path, mutant: Mutant, url: str) -> str:
    command = [sys.executable, "-m", "tests.testing.seeded.judge", str(package), mutant.store, url, mutant.caught_by]
    env = {**os.environ, "PYTHONPATH": str(package)}
    result = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout


@pytest.fixture
async def url(request: pytest.FixtureRequest, mutant: Mutant):
    """A place of its own for the bug: a schema is made by the statements that have it."""
    if mutant.store == "postgres":
        server = request.getfixturevalue("postgres_url")
        schema = f"mutant_{os.getpid()}"
        yield f"{server}?schema={schema}"
        connection = await asyncpg.connect(server)
        await connection.execute(f"DROP SCHEMA {schema} CASCADE")
        await connection.close()
    else:
        yield request.getfixturevalue("redis_url") if mutant.store == "redis" else "sqlite"


def name_of(mutant: Mutant) -> str:
    return re.sub(r"\W+", "-", f"{mutant.store} {mutant.bug}")


@pytest.mark.parametrize("mutant", MUTANTS, ids=name_of)
def test_the_suite_catches(mutant: Mutant, url: str, tmp_path: Path) -> None:
    mutant.plant(tmp_path)
    assert judge(tmp_path, mutant, url) == "fails", f"not caught: {mutant.bug}"


@pytest.mark.parametrize("mutant", {(one.store, one.caught_by): one for one in MUTANTS}.values(), ids=name_of)
@pytest.mark.system
def test_without_the_bug_the_sentence_is_true(mutant: Mutant, url: str) -> None:
    assert judge(PACKAGE.parent, mutant, url) == "holds"
