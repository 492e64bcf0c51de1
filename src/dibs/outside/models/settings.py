"""Which language model may be asked, each setting with its environment variable."""

import os
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import urlsplit

import msgspec

from dibs.errors import BadInput
from dibs.kit.encryption.secret import Secret


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model is and how long it may take. Without a URL no model is ever asked."""

    url: str = ""
    name: str = ""
    key: Secret = Secret()
    timeout: timedelta = timedelta(seconds=20)
    kept_answers: int = 512

    @property
    def is_on(self) -> bool:
        return bool(self.url)

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "ModelSettings":
        """Read `DIBS_MODEL_URL`, `DIBS_MODEL_NAME`, `DIBS_MODEL_KEY` and `DIBS_MODEL_TIMEOUT_SECONDS`."""
        seconds = env.get("DIBS_MODEL_TIMEOUT_SECONDS") or "20"
        try:
            timeout = timedelta(seconds=float(seconds))
        except (ValueError, OverflowError) as fault:
            message = f"DIBS_MODEL_TIMEOUT_SECONDS={seconds!r} makes no sense. Use a positive number of seconds."
            raise BadInput(message) from fault
        if timeout <= timedelta():
            message = f"DIBS_MODEL_TIMEOUT_SECONDS={seconds!r} makes no sense. Use a positive number of seconds."
            raise BadInput(message)
        url, name = env.get("DIBS_MODEL_URL", ""), env.get("DIBS_MODEL_NAME", "")
        if url and not name:
            message = f"DIBS_MODEL_URL={url!r} names an endpoint but no model. Set DIBS_MODEL_NAME to one it serves."
            raise BadInput(message)
        if url and not _leads_somewhere(url):
            message = f"DIBS_MODEL_URL={url!r} is no address. Use one such as http://127.0.0.1:8000/v1."
            raise BadInput(message)
        return cls(url=url, name=name, key=Secret(env.get("DIBS_MODEL_KEY", "")), timeout=timeout)


def _leads_somewhere(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
