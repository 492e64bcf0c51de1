"""Schemathesis reads the description and tries the whole API: whatever is answered is what was described."""

import asyncio
import tempfile
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

import dibs
from dibs.access.actions import create_tenant
from dibs.access.directory import Directory
from dibs.access.secrets import Passwords
from dibs.apps.postings.office import Office
from dibs.engine.tasks.builtin import make_builtin
from dibs.server.application import make_server
from dibs.server.routes.waiting import LONGEST_WAIT
from dibs.storage.tables import Tables
from tests.access.conftest import BOSS, QUICK
from tests.apps.postings.conftest import keep, make_posting
from tests.server.conftest import OPTIONS
from tests.server.keys import ACME, OPERATOR, KeyRing
from tests.server.things import Things
from tests.tables import migrate

STREAMS = r"/events$"
# Names must print, cron expressions must mean something: a schema cannot say all that is refused.
BEYOND_SCHEMAS = {"positive_data_acceptance"}
# An empty list, or nothing at all, is not there any more once it is part of a URL: what is sent breaks no rule then.
BEYOND_URLS = {"negative_data_rejection"}


# Nothing is opened before the first request; the fixture below makes the tables by then.
FOLDER = tempfile.TemporaryDirectory(prefix="dibs-contract-")
TABLES_URL = f"sqlite:///{FOLDER.name}/tables.db"


def make_app() -> Any:
    app = dibs.Dibs("memory://")
    app.include(make_builtin())
    directory = Directory(Tables.at(TABLES_URL), passwords=Passwords(QUICK))
    return make_server(app, KeyRing(), directory, options=OPTIONS)


@pytest.fixture(scope="module", autouse=True)
def documents():
    """Files that are handed in go where the tables are, and secrets of webhooks are kept under a key."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIBS_RESUMES_FOLDER", f"{FOLDER.name}/documents")
        patch.setenv("DIBS_WEBHOOKS_KEYS", "k" * 32)
        yield


@pytest.fixture(scope="module", autouse=True)
def tables():
    async def make() -> None:
        await migrate(TABLES_URL)
        async with Tables.at(TABLES_URL) as opened:
            for name in ("acme", "globex"):
                await create_tenant(Directory(opened), name, BOSS)
            for name in ("default", "acme"):
                await keep(Office(opened), make_posting(), tenant=name)

    asyncio.run(make())


@pytest.fixture(autouse=True)
def things(request, documents, tables):
    """What the examples of the description name is there, so that more is tried than what is refused."""
    # Other tests take some of it away; where only a few tries are made, that does not matter.
    if not THINGS.are_made or request.node.get_closest_marker("system"):
        THINGS.make_all()


schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", make_app()).exclude(path_regex=STREAMS)
THINGS = Things(schema)


def _without_waiting(query: Any) -> Any:
    """Ask for a result at once. A timeout that breaks a rule is sent as it is: it is to be refused."""
    given: Any = query.get("timeout", 0) if isinstance(query, dict) else None
    is_allowed = type(given) in (int, float) and 0 <= given <= LONGEST_WAIT
    return {**query, "timeout": 0} if is_allowed else query


def check_case(case: Any, key: str) -> None:
    is_lost = any(value is None or isinstance(value, list | dict) for value in (case.query or {}).values())
    left_out = [CHECKS.get_one(name) for name in BEYOND_SCHEMAS | (BEYOND_URLS if is_lost else set())]
    THINGS.put_into(case)
    if case.path.endswith("/result"):
        case.query = _without_waiting(case.query)
    # How soon it answers is not what is tried here: the usual ten seconds pass by on a machine that stands still.
    case.call_and_validate(headers={"Authorization": f"Bearer {key}"}, excluded_checks=left_out, timeout=60)


@schema.parametrize()
@settings(max_examples=4, suppress_health_check=list(HealthCheck))
def test_a_few_tries_of_every_route_find_nothing(case):
    check_case(case, OPERATOR)


@pytest.mark.system
@schema.parametrize()
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
def test_many_tries_of_every_route_by_an_operator_find_nothing(case):
    check_case(case, OPERATOR)


@pytest.mark.system
@schema.parametrize()
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
def test_many_tries_of_every_route_by_a_tenant_find_nothing(case):
    check_case(case, ACME)
