"""Keeping short secrets in the tables so that a dump is of no use: sealed with a key that is not in the database."""

import binascii
import hashlib
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from dibs.errors import BadInput
from dibs.kit.encryption.secret import Secret

SHORTEST_KEY = 32
_VERSION = "v1"
_NONCE = 12
_NAME_LENGTH = 12


class Vault:
    """Seals with the first of its keys, and opens with any: a new key is put in front, and the old one goes later.

    What is sealed names its key, and is bound to where it stands: moved to another row or tenant, it does not open.
    """

    def __init__(self, keys: Sequence[Secret], *, variable: str) -> None:
        self._variable = variable
        derived = [self._derive(key) for key in keys]
        self._keys = {_name(key): AESGCM(key) for key in derived}
        self._first = next(iter(self._keys), "")

    def seal(self, plain: bytes, *place: str) -> str:
        """Seal something that stands at a place, such as a tenant and an id."""
        self.need_key()
        nonce = os.urandom(_NONCE)
        sealed = nonce + self._keys[self._first].encrypt(nonce, plain, _bind(place))
        return f"{_VERSION}.{self._first}.{urlsafe_b64encode(sealed).decode()}"

    def open(self, sealed: str, *place: str) -> bytes:
        """Open what stands at a place."""
        version, _, rest = sealed.partition(".")
        name, _, text = rest.partition(".")
        if version != _VERSION or name not in self._keys:
            message = f"what is kept here was sealed with the key {name[:40]!r}, which is not set. Add it to the"
            raise BadInput(f"{message} others in {self._variable}.")
        try:
            raw = urlsafe_b64decode(text)
            return self._keys[name].decrypt(raw[:_NONCE], raw[_NONCE:], _bind(place))
        except (InvalidTag, ValueError, binascii.Error) as cause:
            message = "what is kept here does not open: it was changed, or moved from another place. Make it anew."
            raise BadInput(message) from cause

    def need_key(self) -> None:
        """Refuse to keep a secret without a key."""
        if not self._keys:
            message = f"there is no key to keep secrets with. Set {self._variable} to {SHORTEST_KEY} or more random"
            raise BadInput(f"{message} characters (openssl rand -base64 32), the same in every process.")

    def _derive(self, key: Secret) -> bytes:
        if len(key) < SHORTEST_KEY:
            message = f"a key in {self._variable} has {len(key)} characters. Use {SHORTEST_KEY} or more, random ones."
            raise BadInput(message)
        return HKDF(SHA256(), length=32, salt=None, info=b"dibs.vault.v1").derive(key.encode())


def _name(key: bytes) -> str:
    return hashlib.sha256(b"name:" + key).hexdigest()[:_NAME_LENGTH]


def _bind(place: tuple[str, ...]) -> bytes:
    return "\x00".join(place).encode()
