"""The first key: made in the data folder when a server starts there, for whoever can read that folder."""

import hmac
import os
import secrets
from pathlib import Path

from dibs.access.principal import Principal
from dibs.access.scopes import Scope
from dibs.errors import BadInput
from dibs.kit.secret import Secret

FILE = "bootstrap.key"
PREFIX = "dibs_boot_"
ACTOR = "bootstrap"
_SHORTEST = 32


class BootstrapGatekeeper:
    """Knows one key, which may do everything and belongs to no tenant."""

    def __init__(self, secret: Secret) -> None:
        self._secret = secret
        self._principal = Principal(actor=ACTOR, tenant=None, scopes=frozenset(Scope), kind="key")

    async def authenticate_key(self, secret: str) -> Principal | None:
        """Recognise the key, in the same time for every wrong one."""
        return self._principal if hmac.compare_digest(secret.encode(), self._secret.encode()) else None

    async def authenticate_session(self, cookie: str) -> Principal | None:  # noqa: ARG002 - the protocol's name
        """Know no sessions."""
        return None


def find_key(folder: Path) -> Secret:
    """Read the key of a data folder, or make one that only its owner can read."""
    file = folder / FILE
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(file)
    with os.fdopen(handle, "w") as lines:
        secret = Secret(PREFIX + secrets.token_urlsafe(32))
        lines.write(f"{secret}\n")
    return secret


def _read(file: Path) -> Secret:
    secret = file.read_text().strip()
    if len(secret) < _SHORTEST:
        message = f"{file} holds no key. Remove it, and a new one is made at the next start."
        raise BadInput(message)
    return Secret(secret)
