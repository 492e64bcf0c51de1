"""The import contracts are not decoration: each one names the violation planted for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2]

FLOORS = "Imports point downwards only"
BACKENDS = "Backends do not import their neighbours"
SERVICES = "Services do not import their neighbours"
APPS = "Apps do not import their neighbours"
DRIVERS = "Drivers appear only where data is stored"
CLIENTS = "HTTP clients appear only in outside and as the driver of etcd"
FRAMEWORK = "The web framework appears only in web and server"
TESTING = "Nothing shipped imports testing"

PLANTS = [
    ("kit/planted.py", "import dibs.engine", FLOORS),
    ("kit/planted.py", "import dibs", FLOORS),
    ("engine/planted.py", "import dibs.backends", FLOORS),
    ("engine/planted.py", "def load():\n    from dibs.backends import memory", FLOORS),
    ("engine/planted.py", "import dibs.storage.planted", FLOORS),
    ("storage/planted.py", "import dibs.access.planted", FLOORS),
    ("services/mail/planted.py", "import dibs.apps.hiring.planted", FLOORS),
    ("backends/memory/planted.py", "import dibs.apps.hiring.planted", FLOORS),
    ("assembly.py", "import dibs.server.planted", FLOORS),
    ("torture/planted.py", "import dibs.server.planted", FLOORS),
    ("homeless.py", "", FLOORS),
    ("backends/memory/planted.py", "import dibs.backends.sqlite", BACKENDS),
    ("services/mail/planted.py", "import dibs.services.resumes.planted", SERVICES),
    ("apps/prices/planted.py", "import dibs.apps.hiring.planted", APPS),
    ("engine/planted.py", "import asyncpg", DRIVERS),
    ("kit/planted.py", "import sqlite3", DRIVERS),
    ("services/mail/planted.py", "from redis import asyncio", DRIVERS),
    ("outside/sources/planted.py", "import sqlite3", DRIVERS),
    ("apps/prices/planted.py", "import httpx", CLIENTS),
    ("backends/redis/planted.py", "import httpx", CLIENTS),
    ("backends/etcd/planted.py", "import aiohttp", CLIENTS),
    ("outside/sources/planted.py", "import httpx", CLIENTS),
    ("services/mail/planted.py", "import httpcore", CLIENTS),
    ("outside/client/planted.py", "import aiohttp", CLIENTS),
    ("engine/planted.py", "import fastapi", FRAMEWORK),
    ("cli/planted.py", "def serve():\n    import uvicorn", FRAMEWORK),
    ("apps/prices/planted.py", "from starlette.requests import Request", FRAMEWORK),
    ("engine/planted.py", "import dibs.testing", TESTING),
    ("backends/memory/planted.py", "from dibs.testing import servers", TESTING),
]

ALLOWED = [
    ("engine/planted.py", "import dibs.kit, dibs.errors"),
    ("backends/sqlite/planted.py", "import sqlite3, dibs.engine"),
    ("storage/planted.py", "import asyncpg, dibs.kit"),
    ("backends/etcd/planted.py", "import httpx"),
    ("outside/transport/planted.py", "import httpx, httpcore"),
    ("outside/client/planted.py", "import httpx"),
    ("web/planted.py", "import fastapi, starlette"),
    ("apps/hiring/routes.py", "import fastapi"),
    ("outside/cache/planted.py", "import sqlite3, asyncpg"),
    ("assembly.py", "import dibs.backends.sqlite, dibs.apps.hiring.planted, dibs.services.mail.planted"),
    ("cli/planted.py", "import dibs.server.planted, dibs.torture.planted, dibs.assembly"),
    ("testing/planted.py", "import dibs.backends.sqlite, dibs.engine"),
]

# What some plants point at.
TARGETS = [
    "storage",
    "access",
    "server",
    "torture",
    "apps/hiring",
    "services/mail",
    "services/resumes",
    "backends/sqlite",
]


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(HOUSE / "src/dibs", tmp_path / "src/dibs", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HOUSE / "pyproject.toml", tmp_path)
    return tmp_path


def plant(copy: Path, path: str, line: str) -> None:
    file = copy / "src/dibs" / path
    for folder in [file.parent, *file.parent.parents]:
        if folder == copy / "src":
            break
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    file.write_text(f"{line}\n")


def plant_targets(copy: Path) -> None:
    for target in TARGETS:
        plant(copy, f"{target}/planted.py", "")


def check_contracts(copy: Path) -> tuple[int, str]:
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [program, "--no-cache"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_clean_tree_keeps_every_contract(copy):
    status, report = check_contracts(copy)
    assert status == 0, report
    for name in (FLOORS, BACKENDS, SERVICES, APPS, DRIVERS, CLIENTS, FRAMEWORK, TESTING):
        assert f"{name} KEPT" in report


@pytest.mark.parametrize(("path", "line", "contract"), PLANTS)
def test_a_planted_violation_is_named(copy, path, line, contract):
    plant_targets(copy)
    plant(copy, path, line)
    status, report = check_contracts(copy)
    assert status == 1, report
    assert f"{contract} BROKEN" in report


def test_imports_that_the_drawing_allows_break_nothing(copy):
    plant_targets(copy)
    for path, line in ALLOWED:
        plant(copy, path, line)
    status, report = check_contracts(copy)
    assert status == 0, report
