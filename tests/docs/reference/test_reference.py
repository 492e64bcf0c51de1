"""Every setting, error, verb, outcome and audit action is documented, or the build fails."""

import inspect
from pathlib import Path

import pytest

import dibs
from dibs import errors
from dibs.engine.audit.actions import JobAction, ScheduleAction
from dibs.engine.job import AttemptOutcome
from dibs.engine.store.backend import Backend

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
VARIABLES = ["DIBS_URL", "DIBS_TABLES_URL", "DIBS_DATA", "DIBS_LEASES_URL", "WORKER_ID", "JOB_LOCK_TIMEOUT_SECONDS"]
VARIABLES += ["DIBS_MAX_PAYLOAD_BYTES", "DIBS_MAX_WORKER_DEATHS"]
VARIABLES += [
    "CACHE_ENABLED",
    "CACHE_TTL_SECONDS",
    "DIBS_CACHE_URL",
    "DIBS_CACHE_MAX_BYTES",
    "DIBS_CACHE_MAX_BODY_BYTES",
]
ERRORS = [name for name, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, errors.DibsError)]
VERBS = [name for name, one in inspect.getmembers(Backend, inspect.iscoroutinefunction) if not name.startswith("_")]


@pytest.mark.parametrize("name", [*dibs.Settings.__struct_fields__, *VARIABLES])
def test_every_setting_is_documented(name):
    assert f"`{name}`" in (REFERENCE / "settings.md").read_text()


@pytest.mark.parametrize("name", sorted(set(ERRORS) - {"DibsError"}))
def test_every_error_is_documented_and_public(name):
    assert f"| `{name}` |" in (REFERENCE / "errors.md").read_text()
    assert name in dibs.__all__


@pytest.mark.parametrize("name", sorted(set(VERBS) - {"close"}))
def test_every_verb_is_documented(name):
    assert f"`{name}`" in (REFERENCE / "contract.md").read_text()


@pytest.mark.parametrize("name", [*JobAction, *ScheduleAction, *AttemptOutcome])
def test_every_outcome_and_action_is_documented(name):
    assert f"`{name}`" in (REFERENCE / "contract.md").read_text()


def test_every_backend_has_its_page():
    folders = (Path(dibs.__file__).parent / "backends").iterdir()
    backends = {folder.name for folder in folders if (folder / "__init__.py").exists()}
    pages = {page.stem for page in (REFERENCE / "backends").glob("*.md")}
    assert backends
    assert backends <= pages


def test_every_version_of_the_layout_on_postgres_is_documented():
    page = (REFERENCE / "backends" / "postgres.md").read_text()
    folders = Path(inspect.getfile(dibs)).parent.glob("backends/postgres/sql/migrations/[0-9]*")
    versions = sorted(int(folder.name) for folder in folders)
    assert versions
    assert [version for version in versions if f"\n| {version} | " not in page] == []


def test_no_option_of_a_command_stands_twice_in_its_table():
    for part in (REFERENCE / "command-line.md").read_text().split("\n## ")[1:]:
        options = [line.split("|")[1].strip() for line in part.splitlines() if line.startswith("| `--")]
        assert len(options) == len(set(options)), part.partition("\n")[0]
