"""Settings, each with its environment variable."""

import os
import socket
from collections.abc import Mapping
from datetime import timedelta

import msgspec

from dibs.errors import BadInput
from dibs.kit.secret import Secret

MEBIBYTE = 1024 * 1024
LEAST, LARGEST = 1e-9, 1_000_000_000
LONGEST_LEASE = timedelta(days=36_500)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What can be set. `from_env` reads the variables; docs/reference/settings.md lists them."""

    url: str = "sqlite:///dibs.db"
    leases_url: str = ""
    worker_id: str = ""
    lease: timedelta = timedelta(seconds=300)
    max_payload_bytes: int = MEBIBYTE
    max_worker_deaths: int = 3
    keep_succeeded_days: float = 14
    keep_failed_days: float = 90
    audit_key: Secret = Secret()

    def __post_init__(self) -> None:
        bounds = {"max_payload_bytes": self.max_payload_bytes, "max_worker_deaths": self.max_worker_deaths}
        bad = next((f"{name}={value!r}" for name, value in bounds.items() if not 1 <= value <= LARGEST), None)
        if bad is None and not timedelta(0) < self.lease <= LONGEST_LEASE:
            bad = f"lease={self.lease!r}"
        if bad is not None:
            message = f"{bad} makes no sense. Use a positive value."
            raise BadInput(message)

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "Settings":
        """Read the variables; one that is not set leaves its default."""
        default = cls()
        return cls(
            url=env.get("DIBS_URL") or default.url,
            leases_url=env.get("DIBS_LEASES_URL") or default.leases_url,
            worker_id=env.get("WORKER_ID") or default_worker_id(),
            lease=timedelta(seconds=_number(env, "JOB_LOCK_TIMEOUT_SECONDS", default.lease.total_seconds())),
            max_payload_bytes=int(_number(env, "DIBS_MAX_PAYLOAD_BYTES", default.max_payload_bytes)),
            max_worker_deaths=int(_number(env, "DIBS_MAX_WORKER_DEATHS", default.max_worker_deaths)),
            keep_succeeded_days=_number(env, "DIBS_KEEP_SUCCEEDED_DAYS", default.keep_succeeded_days, least=0),
            keep_failed_days=_number(env, "DIBS_KEEP_FAILED_DAYS", default.keep_failed_days, least=0),
            audit_key=Secret(env.get("DIBS_AUDIT_KEY", "")),
        )


def default_worker_id() -> str:
    """Name this process as a worker, if nobody gave it a name."""
    return f"{socket.gethostname()}:{os.getpid()}"


def _number(env: Mapping[str, str], name: str, default: float, *, least: float = LEAST) -> float:
    text = env.get(name)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not least <= value <= LARGEST:
        message = f"{name}={text!r} is no number from 0 to {LARGEST:,}. Set it to one, or unset it for {default:g}."
        raise BadInput(message)
    return value
