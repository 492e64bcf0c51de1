"""The secrets under which the audit log is sealed. A seal names its key, so that keys can come and go."""

import hashlib
from typing import Self

import msgspec

from dibs.settings import Settings

_ID_DIGITS = 8


class SealKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The key of now (b"": none), and those that were used before: good for looking, not for sealing."""

    current: bytes = b""
    old: tuple[bytes, ...] = ()

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Take them from the settings."""
        return cls(current=settings.audit_key.encode(), old=tuple(key.encode() for key in settings.audit_old_keys))

    def find(self, name: str) -> bytes | None:
        """Find a key by its name; b"" is the key of seals made without one."""
        return next((key for key in (b"", self.current, *self.old) if name_key(key) == name), None)


def name_key(key: bytes) -> str:
    """Name a key without telling it; '' for none."""
    return hashlib.sha256(b"dibs audit key\0" + key).hexdigest()[:_ID_DIGITS] if key else ""


def name_key_of(seal_hash: str) -> str:
    """Name the key of a seal."""
    name, colon, _ = seal_hash.partition(":")
    return name if colon else ""
