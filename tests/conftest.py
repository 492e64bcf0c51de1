"""One real server of each kind a test process, started when the first test asks for it."""

import os
import signal
from collections.abc import Iterator

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
