"""Settings come from the environment, and bad ones are refused."""

from datetime import timedelta

import pytest

from dibs import BadInput, Settings


def test_defaults_are_those_of_the_design() -> None:
    settings = Settings.from_env({})
    assert (settings.lease, settings.max_payload_bytes, settings.max_worker_deaths) == (
        timedelta(seconds=300),
        2**20,
        3,
    )
    assert settings.url == "sqlite:///dibs.db"
    assert ":" in settings.worker_id


def test_every_variable_is_honoured() -> None:
    env = {
        "DIBS_URL": "memory://",
        "DIBS_LEASES_URL": "etcd://localhost",
        "WORKER_ID": "worker-7",
        "JOB_LOCK_TIMEOUT_SECONDS": "12.5",
        "DIBS_MAX_PAYLOAD_BYTES": "1000",
        "DIBS_MAX_WORKER_DEATHS": "5",
    }
    settings = Settings.from_env(env)
    assert (settings.url, settings.worker_id, settings.lease) == ("memory://", "worker-7", timedelta(seconds=12.5))
    assert (settings.max_payload_bytes, settings.max_worker_deaths) == (1000, 5)
    assert settings.leases_url == "etcd://localhost"


@pytest.mark.parametrize("bad", ["soon", "-1", "0", "nan", "inf"])
def test_a_number_that_makes_no_sense_is_refused_by_name(bad: str) -> None:
    with pytest.raises(BadInput, match="JOB_LOCK_TIMEOUT_SECONDS"):
        Settings.from_env({"JOB_LOCK_TIMEOUT_SECONDS": bad})
