"""One real server of each kind a test process, started when the first test asks for it."""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

from dibs.testing.servers import PostgresServer, ValkeyServer

# A shell starts what it puts into the background with interrupts ignored, and all programs started here inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

PROFILE = os.environ.get("DIBS_HYPOTHESIS", "small")
# A server's answer time is not the property under test, so no example has a deadline. The build tries the same examples
# each time, so that it fails for what was changed; `make fuzz` tries others.
settings.register_profile(
    "small",
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    derandomize=PROFILE != "random",
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "large", settings.get_profile("small"), max_examples=1000, stateful_step_count=50, print_blob=True
)
settings.register_profile("random", settings.get_profile("large"))
settings.load_profile(PROFILE)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Your server when DIBS_TEST_POSTGRES_URL names one, else our own; a missing wheel is an error."""
    if url := os.environ.get("DIBS_TEST_POSTGRES_URL"):
        yield url
        return
    with PostgresServer() as server:
        yield server.url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Your server when DIBS_TEST_REDIS_URL names one, else our own; a missing wheel is an error."""
    if url := os.environ.get("DIBS_TEST_REDIS_URL"):
        yield url
        return
    with ValkeyServer() as server:
        yield server.url


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with empty tables, to be copied: migrating takes longer than most tests."""
    from tests.tables import migrate  # noqa: PLC0415 - it brings all of SQLAlchemy, which most tests do without

    file = tmp_path_factory.mktemp("tables") / "tables.db"
    asyncio.run(migrate(f"sqlite:///{file}"))
    return file


@pytest.fixture(scope="session")
def migrated_schema(postgres_url: str) -> Iterator[str]:
    """A schema with tables, to be emptied after each test."""
    from tests.tables import add_option, drop_family, migrate  # noqa: PLC0415 - as above

    family = f"t_{uuid4().hex[:12]}"
    url = add_option(postgres_url, f"schema={family}")
    asyncio.run(migrate(url))
    yield url
    asyncio.run(drop_family(postgres_url, family))
