"""Settings, each with its environment variable."""

import os
import socket
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import quote

import msgspec

from dibs.errors import BadInput
from dibs.kit.encryption.secret import Secret

MEBIBYTE = 1024 * 1024
ENCRYPTION_KEYS = "DIBS_ENCRYPTION_KEYS"
LEAST, LARGEST = 1e-9, 1_000_000_000
LARGEST_CACHE = 1_000_000_000_000
LONGEST_LEASE = timedelta(days=36_500)

_SWITCH = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What can be set. `from_env` reads the variables; docs/reference/settings.md lists them."""

    url: str = "sqlite:///dibs.db"
    tables_url: str = ""
    data: str = ""
    leases_url: str = ""
    worker_id: str = ""
    lease: timedelta = timedelta(seconds=300)
    max_payload_bytes: int = MEBIBYTE
    max_worker_deaths: int = 3
    keep_succeeded_days: float = 14
    keep_failed_days: float = 90
    audit_key: Secret = Secret()
    audit_old_keys: tuple[Secret, ...] = ()
    audit_heads: str = ""
    encryption_keys: tuple[Secret, ...] = ()
    traces_share: float = 0.0
    cache_enabled: bool = True
    cache_url: str = ""
    cache_ttl: timedelta = timedelta(seconds=3600)
    cache_max_bytes: int = 1024 * MEBIBYTE
    cache_max_body_bytes: int = 5 * MEBIBYTE

    def __post_init__(self) -> None:
        counts = {"max_payload_bytes": LARGEST, "max_worker_deaths": LARGEST}
        counts |= {"cache_max_bytes": LARGEST_CACHE, "cache_max_body_bytes": LARGEST}
        bad = next((name for name, most in counts.items() if not 1 <= getattr(self, name) <= most), None)
        spans = (name for name in ("lease", "cache_ttl") if not timedelta(0) < getattr(self, name) <= LONGEST_LEASE)
        bad = bad or next(spans, None)
        if bad is not None:
            message = f"{bad}={getattr(self, bad)!r} makes no sense. Use a positive value."
            raise BadInput(message)

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "Settings":
        """Read the variables; one that is not set leaves its default."""
        default = cls()
        data = env.get("DIBS_DATA", "")
        return cls(
            url=env.get("DIBS_URL") or (f"sqlite:///{quote(data)}/dibs.db" if data else default.url),
            tables_url=env.get("DIBS_TABLES_URL") or default.tables_url,
            data=data,
            leases_url=env.get("DIBS_LEASES_URL") or default.leases_url,
            worker_id=env.get("WORKER_ID") or default_worker_id(),
            lease=timedelta(seconds=_number(env, "JOB_LOCK_TIMEOUT_SECONDS", default.lease.total_seconds())),
            max_payload_bytes=int(_number(env, "DIBS_MAX_PAYLOAD_BYTES", default.max_payload_bytes)),
            max_worker_deaths=int(_number(env, "DIBS_MAX_WORKER_DEATHS", default.max_worker_deaths)),
            keep_succeeded_days=_number(env, "DIBS_KEEP_SUCCEEDED_DAYS", default.keep_succeeded_days, least=0),
            keep_failed_days=_number(env, "DIBS_KEEP_FAILED_DAYS", default.keep_failed_days, least=0),
            audit_key=Secret(env.get("DIBS_AUDIT_KEY", "")),
            audit_old_keys=tuple(Secret(key) for key in env.get("DIBS_AUDIT_OLD_KEYS", "").split(",") if key),
            audit_heads=env.get("DIBS_AUDIT_HEADS", ""),
            encryption_keys=tuple(
                Secret(key.strip()) for key in env.get(ENCRYPTION_KEYS, "").split(",") if key.strip()
            ),
            traces_share=_number(env, "DIBS_TRACES_SHARE", default.traces_share, least=0, most=1),
            cache_enabled=_switch(env, "CACHE_ENABLED", default=default.cache_enabled),
            cache_url=env.get("DIBS_CACHE_URL") or default.cache_url,
            cache_ttl=timedelta(seconds=_number(env, "CACHE_TTL_SECONDS", default.cache_ttl.total_seconds())),
            cache_max_bytes=int(_number(env, "DIBS_CACHE_MAX_BYTES", default.cache_max_bytes, most=LARGEST_CACHE)),
            cache_max_body_bytes=int(_number(env, "DIBS_CACHE_MAX_BODY_BYTES", default.cache_max_body_bytes)),
        )


def default_worker_id() -> str:
    """Name this process as a worker, if nobody gave it a name."""
    return f"{socket.gethostname()}:{os.getpid()}"


def _switch(env: Mapping[str, str], name: str, *, default: bool) -> bool:
    text = env.get(name, "").strip().lower()
    if not text:
        return default
    if text not in _SWITCH:
        message = f"{name}={text!r} is neither on nor off. Use true or false, or unset it for {str(default).lower()}."
        raise BadInput(message)
    return _SWITCH[text]


def _number(env: Mapping[str, str], name: str, default: float, *, least: float = LEAST, most: float = LARGEST) -> float:
    text = env.get(name)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not least <= value <= most:
        message = f"{name}={text!r} is no number from 0 to {most:,}. Set it to one, or unset it for {default:g}."
        raise BadInput(message)
    return value
